/** The HTTPS front of an API server: connections, certificates, and answers on the wire. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import * as https from 'node:https';
import * as net from 'node:net';
import type { TLSSocket } from 'node:tls';
import { constants } from 'node:crypto';
import type { Activity, ApiServerState } from '../contracts.ts';
import { type ApiAnswer, type WatchAnswer, type WholeAnswer } from './answers.ts';
import { createDoorkeeper, type RefuseCaller } from './callers.ts';
import { handleApiRequest } from './handler.ts';
import type { ApiSurroundings } from './request.ts';

export interface ApiFrontOptions extends Omit<ApiSurroundings, 'idle'> {
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  /** Who answers now; while nobody does, connections are closed before TLS, as Docker's proxy closes them. */
  readonly state: () => ApiServerState | undefined;
  /** Told when work begins; its answer is called when the work is done. Waiting is no work. */
  readonly activity?: Activity;
}

export interface ApiFront {
  readonly port: number;
  /** Stops listening, and ends every connection. */
  close(): Promise<void>;
  /** Ends every connection at once: the server behind them has stopped. */
  dropConnections(): void;
  /** Nobody listens any more, until `listen`; what is connected is ended. */
  stopListening(): void;
  /** Listens at the same port again. Rejects where another program has taken it meanwhile. */
  listen(): Promise<void>;
}

/** Rejects where the port cannot be listened on. */
export async function startApiFront(options: ApiFrontOptions): Promise<ApiFront> {
  const connections = new Set<net.Socket>();
  const begin = () => options.activity?.begin() ?? (() => {});
  /** By the caller's port: an agreement on TLS that was begun. */
  const handshakes = new Map<number, () => void>();
  let served: string | undefined;
  const refuseCaller = createDoorkeeper();

  const server = https.createServer(
    {
      requestCert: true,
      // Whom it lets in, it says itself: with a Status document, not by breaking off.
      rejectUnauthorized: false,
      // A resumed session would hide that the certificate has become another one.
      secureOptions: constants.SSL_OP_NO_TICKET,
      keepAliveTimeout: 0,
      requestTimeout: 0,
    },
    (request, response) => {
      serve(options, refuseCaller, begin, request, response).catch(() => request.socket.destroy());
    },
  );
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  server.on('clientError', (_error, socket) => socket.destroy());

  const listener = net.createServer((socket) => {
    const state = options.state();
    connections.add(socket);
    options.activity?.accept?.(socket);
    socket.on('close', () => connections.delete(socket));
    socket.on('error', () => socket.destroy());
    if (state === undefined) {
      socket.destroy();
      return;
    }
    if (served !== state.certificatePem + state.privateKeyPem) {
      server.setSecureContext({
        cert: state.certificatePem,
        key: state.privateKeyPem,
        ca: state.clientAuthorityPem,
        secureOptions: constants.SSL_OP_NO_TICKET,
      });
      served = state.certificatePem + state.privateKeyPem;
    }
    const caller = socket.remotePort ?? 0;
    const finish = once(begin());
    handshakes.set(caller, finish);
    socket.on('close', () => {
      finish();
      if (handshakes.get(caller) === finish) handshakes.delete(caller);
    });
    server.emit('connection', socket);
  });
  server.on('secureConnection', (socket: TLSSocket) => {
    handshakes.get(socket.remotePort ?? 0)?.();
    handshakes.delete(socket.remotePort ?? 0);
  });

  let { port } = options;
  const listen = () =>
    new Promise<void>((resolve, reject) => {
      const fail = (error: Error) =>
        reject(new Error(`The API server cannot listen on ${options.host}:${port}: ${error.message}.`));
      listener.once('error', fail);
      listener.listen(port, options.host, () => {
        listener.off('error', fail);
        resolve();
      });
    });
  await listen();
  const address = listener.address();
  if (typeof address === 'object' && address !== null) port = address.port;

  function dropConnections(): void {
    for (const socket of connections) socket.destroy();
  }

  return {
    port,
    dropConnections,
    stopListening() {
      if (listener.listening) listener.close();
      dropConnections();
    },
    listen: async () => {
      if (!listener.listening) await listen();
    },
    close: () =>
      new Promise((resolve) => {
        if (listener.listening) listener.close(() => resolve());
        else resolve();
        dropConnections();
      }),
  };
}

async function serve(
  options: ApiFrontOptions,
  refuseCaller: RefuseCaller,
  begin: () => () => void,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  let finish = once(begin());
  response.on('close', () => finish());
  const state = options.state();
  if (state === undefined) {
    request.socket.destroy();
    return;
  }
  const gone = new AbortController();
  response.on('close', () => gone.abort(new Error('The caller is gone.')));
  const path = request.url ?? '/';
  const body = await readBody(request);
  const certificate = (request.socket as TLSSocket).getPeerX509Certificate();
  const refusal = refuseCaller(certificate, state.clientAuthorityPem, path.split('?')[0] ?? '', options.clock.now());
  const idle = async <T>(waiting: Promise<T>): Promise<T> => {
    finish();
    try {
      return await waiting;
    } finally {
      finish = once(begin());
      if (response.closed) finish();
    }
  };
  const answer =
    refusal ??
    (await handleApiRequest(
      state,
      { method: request.method ?? 'GET', path, headers: readHeaders(request), body, signal: gone.signal },
      { ...options, idle },
    ));
  writeHead(options, response, answer);
  if (answer.kind === 'whole') writeWhole(response, answer);
  else writeWatch(response, answer, begin, () => finish());
}

function writeHead(options: ApiFrontOptions, response: ServerResponse, answer: ApiAnswer): void {
  response.sendDate = false;
  response.writeHead(answer.status, {
    'content-type': answer.contentType,
    'cache-control': 'no-cache, private',
    date: new Date(options.clock.now()).toUTCString(),
    ...(answer.contentType.startsWith('text/') ? { 'x-content-type-options': 'nosniff' } : {}),
    ...(answer.kind === 'whole' ? { 'content-length': answer.body.length } : {}),
  });
}

function writeWhole(response: ServerResponse, answer: WholeAnswer): void {
  response.end(answer.body);
}

/** Writing an event is work; waiting for the next one is none. */
function writeWatch(response: ServerResponse, answer: WatchAnswer, begin: () => () => void, finish: () => void): void {
  response.flushHeaders();
  const unwritten = new Set<() => void>();
  const close = answer.open({
    write: (line) => {
      const done = begin();
      const written = once(() => {
        unwritten.delete(written);
        done();
      });
      unwritten.add(written);
      response.write(line, written);
      if (response.closed) written();
    },
    end: () => response.end(),
  });
  const stop = () => {
    close();
    for (const written of unwritten) written();
  };
  response.on('close', stop);
  if (response.closed) stop();
  finish();
}

function readHeaders(request: IncomingMessage): Record<string, string | undefined> {
  return { accept: request.headers.accept, 'content-type': request.headers['content-type'] };
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function once(action: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    action();
  };
}
