import { randomBytes } from 'node:crypto';
import { homedir, hostname } from 'node:os';
import type { Clock, Surroundings } from '../engine/surroundings.ts';
import { version } from '../version.ts';

/** Everything that is taken from the outside, made once at the start. */
export function makeSurroundings(from: NodeJS.Process): Surroundings {
  return {
    environment: from.env,
    home: homedir(),
    platform: from.platform,
    uid: from.getuid?.() ?? -1,
    workingDirectory: from.cwd(),
    clock: systemClock,
    randomId: () => randomBytes(4).toString('hex'),
    pid: from.pid,
    hostName: hostname(),
    version,
  };
}

const systemClock: Clock = {
  now: () => new Date(),
  monotonic: () => performance.now(),
  sleep: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(toError(signal.reason));
        return;
      }
      const onAbort = (): void => {
        clearTimeout(timer);
        reject(toError(signal.reason));
      };
      const timer = setTimeout(() => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      }, milliseconds);
      signal.addEventListener('abort', onAbort, { once: true });
    }),
};

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
