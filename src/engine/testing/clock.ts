import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../surroundings.ts';

export interface ManualClock extends Clock {
  advance(milliseconds: number): void;
}

/** Sleeps of up to a second, as between two questions, resolve at once and move the time; longer ones are limits, which are over when the time has come. */
export function makeClock(start: string): ManualClock {
  let time = Date.parse(start);
  const begun = time;
  const limits = new Set<{ readonly at: number; readonly resolve: () => void }>();

  function advance(milliseconds: number): void {
    time += milliseconds;
    for (const limit of limits) {
      if (limit.at > time) continue;
      limits.delete(limit);
      limit.resolve();
    }
  }

  return {
    advance,
    now: () => new Date(time),
    monotonic: () => time - begun,
    async sleep(milliseconds, signal) {
      signal.throwIfAborted();
      if (milliseconds <= 1000) {
        advance(milliseconds);
        await setImmediate();
        signal.throwIfAborted();
        return;
      }
      await new Promise<void>((resolve, reject) => {
        const limit = { at: time + milliseconds, resolve };
        limits.add(limit);
        signal.addEventListener(
          'abort',
          () => {
            limits.delete(limit);
            reject(signal.reason as Error);
          },
          { once: true },
        );
      });
    },
  };
}
