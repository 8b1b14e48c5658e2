import { type Sleep, sleepForReal } from '../sleep.ts';
import { KubeError } from './port.ts';

/**
 * Runs a request under one total time: its signal aborts when the time is over or the caller's signal aborts, and the
 * rejection then says which of the two it was. `describeWait` tells what was being waited for at that moment.
 */
export async function withDeadline<T>(
  options: { readonly timeoutMs: number; readonly signal?: AbortSignal; readonly sleep?: Sleep | undefined },
  what: string,
  describeWait: () => string,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  let ended: 'timeout' | 'aborted' | undefined;
  let giveUp = (_reason: unknown) => {};
  const givenUp = new Promise<never>((_resolve, reject) => {
    giveUp = reject;
  });
  const end = (how: 'timeout' | 'aborted') => {
    ended ??= how;
    controller.abort();
    giveUp(controller.signal.reason);
  };
  const onAbort = () => end('aborted');
  options.signal?.addEventListener('abort', onAbort, { once: true });
  const timer = new AbortController();
  (options.sleep ?? sleepForReal)(options.timeoutMs, timer.signal).then(
    () => end('timeout'),
    () => undefined,
  );
  try {
    if (options.signal?.aborted === true) onAbort();
    return await Promise.race([givenUp, controller.signal.aborted ? givenUp : run(controller.signal)]);
  } catch (error) {
    if (ended === 'aborted') throw new KubeError('failed', `${what} was aborted.`, { cause: error });
    if (ended === 'timeout') {
      const wait = describeWait();
      throw new KubeError('timeout', `${what} took longer than ${options.timeoutMs} ms: ${wait}.`, { cause: error });
    }
    throw error;
  } finally {
    timer.abort();
    options.signal?.removeEventListener('abort', onAbort);
  }
}
