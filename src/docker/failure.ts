import type { EngineFailureKind } from './port.ts';
import { EngineError } from './port.ts';

/** What was being done when it failed, in words that follow "could not": `inspect container "kind-worker"`. */
export interface CallContext {
  readonly call: string;
  readonly endpoint: string;
}

const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENOENT',
  'ENOTFOUND',
  'ENOTSOCK',
  'EAI_AGAIN',
  'EPIPE',
]);

/** Turns whatever the library threw into the port's one error, with the call, the container and the endpoint named. */
export function toEngineError(error: unknown, context: CallContext): EngineError {
  if (error instanceof EngineError) {
    return error;
  }
  const kind = classify(error);
  const message = `Docker could not ${context.call} (${context.endpoint}): ${explain(error, kind)}`;
  return new EngineError(kind, message, { cause: error });
}

export function timeoutError(context: CallContext, how: string): EngineError {
  return new EngineError('timeout', `Docker could not ${context.call} (${context.endpoint}): ${how}`);
}

/** The system's or the library's error code; empty where there is none. */
export function codeOf(error: unknown): string {
  const code = fieldOf(error, 'code');
  return typeof code === 'string' ? code : '';
}

/** The HTTP status of an engine's refusal; 0 where it was no refusal. */
export function statusOf(error: unknown): number {
  const status = fieldOf(error, 'statusCode');
  return typeof status === 'number' ? status : 0;
}

function classify(error: unknown): EngineFailureKind {
  switch (statusOf(error)) {
    case 0:
      break;
    case 404:
      return 'not-found';
    case 409:
      return 'conflict';
    default:
      // Docker answers 500 where the container stops between the making of an exec and its start.
      return /\bis not running\b|container not running/.test(messageOf(error)) ? 'conflict' : 'failed';
  }
  const code = codeOf(error);
  if (code === 'EACCES' || code === 'EPERM' || fieldOf(error, 'level') === 'client-authentication') {
    return 'permission-denied';
  }
  if (code === 'ETIMEDOUT' || fieldOf(error, 'level') === 'client-timeout') {
    return 'timeout';
  }
  return UNREACHABLE.has(code) || fieldOf(error, 'level') === 'client-socket' ? 'unreachable' : 'failed';
}

function explain(error: unknown, kind: EngineFailureKind): string {
  const code = codeOf(error);
  if (kind === 'permission-denied') {
    return `permission denied (${code || messageOf(error)})`;
  }
  if (kind === 'unreachable') {
    return code === 'ENOENT'
      ? 'nothing listens there (ENOENT)'
      : `the engine does not answer (${code || messageOf(error)})`;
  }
  return refusalOf(error) ?? messageOf(error);
}

/** The engine's own sentence, without the library's frame around it. */
function refusalOf(error: unknown): string | undefined {
  const message = fieldOf(fieldOf(error, 'json'), 'message');
  if (typeof message === 'string') {
    return message.trim();
  }
  // On streamed calls the library keeps the sentence only inside its own.
  return /^\(HTTP code \d+\) .*? - ([\s\S]*)$/.exec(messageOf(error))?.[1]?.trim();
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
