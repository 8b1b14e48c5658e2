/** What went wrong on the way to an API server, in words a person can act on. */

import { KubeError, type KubeFailureKind } from './port.ts';

/** A failed HTTP answer; `body` is the answer's text, a `Status` object or plain lines as of `/readyz`. */
export function explainStatus(what: string, status: number, body: string): KubeError {
  const said = readMessage(body);
  return new KubeError(kindOfStatus(status), `${what} was answered ${status}${said === '' ? '' : `: ${said}`}`, {
    status,
  });
}

export function kindOfStatus(status: number): KubeFailureKind {
  if (status === 401 || status === 403) return 'unauthorized';
  if (status === 404) return 'not-found';
  if (status === 409) return 'conflict';
  return status === 504 ? 'timeout' : 'failed';
}

/** A connection that could not be made or broke; `endpoint` is what was dialled. */
export function explainConnection(endpoint: string, error: unknown): KubeError {
  if (error instanceof KubeError) return error;
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : String(error);
  return new KubeError('unreachable', `${endpoint} ${describeConnection(code, message)}`, { cause: error });
}

function describeConnection(code: string, message: string): string {
  const tls = TLS_FAILURES[code];
  if (tls !== undefined) return `presents a certificate that cannot be trusted: ${tls}.`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return `presents a certificate that is not valid for the address: ${message.replace(/^[^:]*altnames: /, '')}`;
  }
  if (code === 'ECONNREFUSED') return 'refuses connections: nothing listens there. Is the container running?';
  if (code === 'ECONNRESET' || code === 'EPIPE') {
    const when = message.includes('before secure TLS') ? 'before TLS was agreed on' : 'before its answer was complete';
    return `closed the connection ${when}: the port is served, but what is behind it is not up (${code}).`;
  }
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_'))
    return `does not agree on TLS: ${firstLine(message)} (${code}).`;
  return `cannot be reached: ${firstLine(message)}${code === '' ? '' : ` (${code})`}.`;
}

/** OpenSSL's verification results, by the codes Node gives them. */
const TLS_FAILURES: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'it has expired (check the clock first: after sleep a wrong clock looks the same)',
  CERT_NOT_YET_VALID: 'it is not valid yet (the clock of this host or of the engine may be wrong)',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'it is self-signed and not by the cluster’s authority',
  SELF_SIGNED_CERT_IN_CHAIN: 'its chain ends in another authority than the cluster’s',
  UNABLE_TO_GET_ISSUER_CERT: 'its issuer is not the cluster’s authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its issuer is not the cluster’s authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its issuer is not the cluster’s authority',
  CERT_SIGNATURE_FAILURE: 'its signature was made by another key than the cluster’s authority’s',
  CERT_CHAIN_TOO_LONG: 'its chain is too long',
  CERT_REVOKED: 'it was revoked',
  INVALID_CA: 'its issuer is no certificate authority',
  INVALID_PURPOSE: 'it was not issued for servers',
  CERT_UNTRUSTED: 'its authority is not trusted for servers',
  CERT_REJECTED: 'its authority rejects this use',
};

export function readMessage(body: string): string {
  const message = readStatusMessage(body) ?? body;
  const text = message.trim();
  return text.length > MAXIMUM_MESSAGE ? `${text.slice(0, MAXIMUM_MESSAGE)} …` : text;
}

/** Enough for all lines of `/readyz?verbose`. */
const MAXIMUM_MESSAGE = 4000;

function readStatusMessage(body: string): string | undefined {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value !== 'object' || value === null || !('message' in value)) return undefined;
    return typeof value.message === 'string' ? value.message : undefined;
  } catch {
    return undefined;
  }
}

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}

function firstLine(message: string): string {
  return message.split('\n')[0]?.trim().replace(/\.$/, '') ?? '';
}
