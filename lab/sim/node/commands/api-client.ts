import { createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import { parse } from 'yaml';
import { resolveHost } from '../resolve.ts';
import { limitTime, type NodeInside } from './command.ts';

export type ApiAnswer =
  | { readonly ok: true; readonly status: number; readonly body: Buffer }
  | {
      readonly ok: false;
      readonly why: 'refused' | 'tls' | 'timeout' | 'no-route' | 'no-such-host';
      readonly reason: string;
    };

export interface ApiRequest {
  /** `https://host:port/path?query` */
  readonly url: URL;
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  /** No limit where undefined. */
  readonly timeoutMs: number | undefined;
  readonly signal: AbortSignal;
}

export async function requestApi(node: NodeInside, request: ApiRequest): Promise<ApiAnswer> {
  const { url, method, headers, body } = request;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (resolveHost(node, host) === undefined)
    return { ok: false, why: 'no-such-host', reason: `dial tcp: lookup ${host}: no such host` };
  const answer = await limitTime(node, request.timeoutMs, request.signal, (signal) =>
    node.processes.askApi({
      host,
      port: Number(url.port || 443),
      method,
      path: url.pathname + url.search,
      ...(headers === undefined ? {} : { headers }),
      ...(body === undefined ? {} : { body }),
      signal,
    }),
  );
  return answer ?? { ok: false, why: 'timeout', reason: 'the time is over' };
}

export type Credentials =
  | { readonly ok: true; readonly server: string; readonly isClientValid: boolean }
  | { readonly ok: false; readonly reason: string };

interface KubeconfigDocument {
  readonly clusters?: readonly {
    readonly cluster?: { readonly server?: string; readonly 'certificate-authority-data'?: string };
  }[];
  readonly users?: readonly { readonly user?: { readonly 'client-certificate-data'?: string } }[];
}

interface Client {
  readonly server: string;
  /** undefined where it is no certificate. */
  readonly certificate: X509Certificate | undefined;
}

/**
 * A kubeconfig of the node, and whether its client certificate is one that the cluster accepts: signed by the authority
 * that the API servers of this node trust, and valid now.
 */
export function readCredentials(node: NodeInside, path: string): Credentials {
  const client = node.files.readAs(path, parseClient);
  if (client === undefined) return { ok: false, reason: `stat ${path}: no such file or directory` };
  if (client === 'not understood')
    return { ok: false, reason: `error loading config file "${path}": it cannot be understood` };
  if (client === 'incomplete')
    return {
      ok: false,
      reason: 'Missing or incomplete configuration info.  Please point to an existing, complete config file',
    };
  return { ok: true, server: client.server, isClientValid: isAccepted(node, client.certificate) };
}

function parseClient(text: string): Client | 'not understood' | 'incomplete' {
  try {
    const { clusters, users } = (parse(text) ?? {}) as KubeconfigDocument;
    const server = clusters?.[0]?.cluster?.server;
    if (server === undefined) return 'incomplete';
    const client = users?.[0]?.user?.['client-certificate-data'] ?? '';
    return { server, certificate: parseCertificate(Buffer.from(client, 'base64').toString('utf8')) };
  } catch {
    return 'not understood';
  }
}

function parseCertificate(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

function parsePublicKey(pem: string): KeyObject | undefined {
  try {
    return createPublicKey(pem);
  } catch {
    return undefined;
  }
}

function isAccepted(node: NodeInside, client: X509Certificate | undefined): boolean {
  const path = '/etc/kubernetes/pki/ca.crt';
  // Without the file no API server of this node starts; others may answer.
  if (node.files.read(path) === undefined) return true;
  const authority = node.files.readAs(path, parsePublicKey);
  if (client === undefined || authority === undefined) return false;
  const now = node.clock.now();
  const isCurrent = Date.parse(client.validFrom) <= now && now <= Date.parse(client.validTo);
  return isCurrent && client.verify(authority);
}
