import type { ExecResult } from '../docker/port.ts';
import { kindOfStatus } from './failures.ts';
import { KubeError } from './port.ts';

/** kubectl tells only the reason of a failed answer; the codes are those of apimachinery's `StatusReason`. */
const STATUS_OF_REASON: Readonly<Record<string, number>> = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  AlreadyExists: 409,
  Conflict: 409,
  Gone: 410,
  Expired: 410,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  Invalid: 422,
  TooManyRequests: 429,
  InternalError: 500,
  ServiceUnavailable: 503,
  ServerTimeout: 500,
  Timeout: 504,
};

/** From kubectl's exit code and standard error, as kubectl 1.25 to 1.34 words it. */
export function explainKubectl(what: string, endpoint: string, result: ExecResult): KubeError {
  const said = tidy(result.stderr.toString('utf8'));
  if (result.exitCode === 126 || result.exitCode === 127) {
    return new KubeError('unreachable', `${endpoint} cannot be run: ${said || 'there is no kubectl in the node'}`);
  }
  const status = readStatus(said);
  if (status !== undefined) {
    return new KubeError(kindOfStatus(status), `${what} was answered ${status}: ${said}`, { status });
  }
  const message = `${what} failed: ${said || `kubectl ended with exit code ${result.exitCode} and said nothing`}`;
  if (/timed? ?out|deadline exceeded|timeout/i.test(said)) return new KubeError('timeout', message);
  if (UNREACHABLE.test(said)) return new KubeError('unreachable', message);
  return new KubeError('failed', message);
}

const UNREACHABLE = new RegExp(
  [
    'was refused - did you specify',
    'Unable to connect to the server',
    'connection refused',
    'connection reset',
    'no such host',
    'no route to host',
    'network is unreachable',
    'x509: ',
    'tls: ',
    '\\bEOF\\b',
    'no such file or directory',
    'Missing or incomplete configuration',
    'client connection lost',
  ].join('|'),
);

function readStatus(said: string): number | undefined {
  if (/You must be logged in to the server/.test(said)) return 401;
  const reason = /Error from server \((\w+)\)/.exec(said)?.[1];
  if (reason !== undefined) return STATUS_OF_REASON[reason];
  return /doesn't have a resource type|could not find the requested resource/.test(said) ? 404 : undefined;
}

/** Without klog's lines (`E1130 18:20:01.123456 …`), which repeat the cause once for each attempt. */
function tidy(stderr: string): string {
  const lines = stderr.split('\n').map((line) => line.trim());
  const own = lines.filter((line) => line !== '' && !/^[EWI]\d{4} \d\d:/.test(line));
  return own.join('\n').replace(KEY_MATERIAL, '…').slice(0, 4000);
}

/** Base64, or Go's byte lists: client-go prints whole entries of a kubeconfig that it cannot load, keys included. */
const KEY_MATERIAL = /[A-Za-z0-9+/=]{60,}|(?:\d{1,3} ){20,}\d{1,3}/g;
