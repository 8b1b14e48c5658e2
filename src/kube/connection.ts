/** One HTTPS request to an API server: connections, certificates, and what was being waited for. */

import type { IncomingMessage } from 'node:http';
import * as https from 'node:https';
import { isIP, type Socket } from 'node:net';
import * as tls from 'node:tls';
import type { Sleep } from '../sleep.ts';
import { explainConnection } from './failures.ts';
import { type KubeCredentials, KubeError } from './port.ts';

export interface PortConnection {
  /** Where to dial, such as `https://127.0.0.1:41777`. */
  readonly server: string;
  readonly credentials: KubeCredentials;
  /**
   * Name or address that the server's certificate must be valid for; by default the host dialled. For a certificate
   * that names the node, yet not the address its port is published on.
   */
  readonly servername?: string;
  /** How long a watch may take until the server has begun to answer. Milliseconds, 10 s by default. */
  readonly watchStartTimeoutMs?: number;
  readonly sleep?: Sleep;
}

export interface HttpsRequest {
  readonly method: 'GET' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: { readonly type: string; readonly value: unknown };
}

/** What a request waits for at the moment, for the message of a time-out. */
export interface Progress {
  stage: string;
}

/**
 * Sends one request and resolves with the head of the answer, whatever its status. `kept` may take a connection that
 * lay idle; `own` makes one for this request alone. Rejects with a KubeError.
 */
export type Opener = (
  request: HttpsRequest,
  connection: 'kept' | 'own',
  signal: AbortSignal,
  progress: Progress,
) => Promise<IncomingMessage>;

/** Verifies the server against the credentials' authority, always. Opens nothing before the first request. */
export function makeOpener(endpoint: string, connection: PortConnection): Opener {
  let agents: Agents | undefined;

  function send(
    request: HttpsRequest,
    kind: 'kept' | 'own',
    signal: AbortSignal,
    progress: Progress,
  ): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      agents ??= makeAgents(connection);
      const body = request.body === undefined ? undefined : Buffer.from(JSON.stringify(request.body.value));
      const sent = https.request(makeUrl(endpoint, request.path), {
        method: request.method,
        agent: agents[kind],
        signal,
        headers: {
          accept: 'application/json, */*',
          ...(body === undefined ? {} : { 'content-type': request.body?.type, 'content-length': body.length }),
        },
      });
      sent.on('socket', (socket) => followSocket(socket, progress));
      sent.on('response', resolve);
      sent.on('error', (error) => reject(sent.reusedSocket ? new StaleConnection('', { cause: error }) : error));
      sent.end(body);
    });
  }

  return async (request, kind, signal, progress) => {
    try {
      return await send(request, kind, signal, progress).catch((error: unknown) => {
        if (error instanceof StaleConnection && !signal.aborted) return send(request, 'own', signal, progress);
        throw error;
      });
    } catch (error) {
      throw explainConnection(endpoint, error instanceof StaleConnection ? error.cause : error);
    }
  };
}

/** A kept connection that broke before an answer: most likely closed by the server while it lay idle. */
class StaleConnection extends Error {}

interface Agents {
  readonly kept: https.Agent;
  readonly own: https.Agent;
}

function makeAgents(connection: PortConnection): Agents {
  const options = {
    secureContext: makeContext(connection.credentials),
    ...(connection.servername === undefined ? {} : verifyAgainst(connection.servername)),
  };
  return {
    kept: new https.Agent({ ...options, keepAlive: true }),
    own: new https.Agent({ ...options, keepAlive: false }),
  };
}

function makeContext(credentials: KubeCredentials): tls.SecureContext {
  try {
    return tls.createSecureContext({
      ca: credentials.certificateAuthority,
      cert: credentials.clientCertificate,
      key: credentials.clientKey,
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new KubeError('failed', `The credentials of the cluster cannot be used: ${reason}. Is admin.conf damaged?`);
  }
}

/** An address may be verified but never sent as a server name (RFC 6066). */
function verifyAgainst(servername: string): tls.ConnectionOptions {
  return {
    ...(isIP(servername) === 0 ? { servername } : {}),
    checkServerIdentity: (_host, certificate) => tls.checkServerIdentity(servername, certificate),
  };
}

function makeUrl(endpoint: string, path: string): URL {
  if (!path.startsWith('/')) throw new KubeError('failed', `"${path}" is no API path: it must begin with a slash.`);
  try {
    const url = new URL(endpoint + path);
    if (url.protocol === 'https:') return url;
  } catch {
    // Reported below, like an address of another kind.
  }
  throw new KubeError('failed', `"${endpoint}" is no https address of an API server.`);
}

function followSocket(socket: Socket, progress: Progress): void {
  progress.stage = SILENT;
  if (!socket.connecting) return;
  progress.stage = 'the connection was not accepted';
  socket.once('connect', () => {
    progress.stage = 'the connection was accepted, but TLS was not answered';
  });
  socket.once('secureConnect', () => {
    progress.stage = SILENT;
  });
}

const SILENT = 'the server is connected and says nothing';
