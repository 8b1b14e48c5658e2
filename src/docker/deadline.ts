import { type Sleep, sleepForReal } from '../sleep.ts';
import type { CallContext } from './failure.ts';
import { timeoutError, toEngineError } from './failure.ts';

export interface Deadline {
  /** Aborts when the time is over or the caller gives up; hand it to whatever the work waits for. */
  readonly signal: AbortSignal;
  /** Starts the time anew: for long transfers, where silence and not length is the fault. */
  readonly extend: () => void;
}

/**
 * Runs one engine call and settles in time even if the call never does: a hung engine accepts connections and then
 * says nothing. Rejects with an EngineError, of kind `timeout` when the time was over or `signal` aborted.
 */
export async function withDeadline<T>(
  options: {
    readonly context: CallContext;
    readonly timeoutMs: number;
    readonly signal?: AbortSignal | undefined;
    readonly sleep?: Sleep;
  },
  work: (deadline: Deadline) => Promise<T>,
): Promise<T> {
  const { context, timeoutMs, signal, sleep = sleepForReal } = options;
  if (signal?.aborted) {
    throw timeoutError(context, 'it was called off');
  }
  const controller = new AbortController();
  let timer: AbortController | undefined;
  let giveUp: ((how: string) => void) | undefined;
  const expiry = new Promise<never>((_, reject) => {
    giveUp = (how) => {
      reject(timeoutError(context, how));
      controller.abort();
    };
  });
  const onAbort = () => giveUp?.('it was called off');
  const extend = () => {
    timer?.abort();
    timer = new AbortController();
    sleep(timeoutMs, timer.signal).then(
      () => giveUp?.(`no answer within ${timeoutMs} ms`),
      () => undefined,
    );
  };
  signal?.addEventListener('abort', onAbort, { once: true });
  extend();
  try {
    return await Promise.race([work({ signal: controller.signal, extend }), expiry]);
  } catch (error) {
    throw toEngineError(error, context);
  } finally {
    timer?.abort();
    signal?.removeEventListener('abort', onAbort);
  }
}
