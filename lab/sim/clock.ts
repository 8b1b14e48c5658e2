import type { Clock } from '../../src/engine/surroundings.ts';

/**
 * The time of a simulated world. Nothing in it happens but by what is scheduled here, so that a world with the same
 * seed and the same visitors goes the same way again.
 */
export interface SimClock {
  /** Milliseconds since the epoch. */
  now(): number;
  /**
   * Runs the action after so many milliseconds; of several due at one moment, the one asked for first. The time stands
   * still until an action's promise has settled. Answers a function that calls it off.
   */
  schedule(delayMs: number, action: () => void | Promise<void>): () => void;
}

export interface VirtualClock extends SimClock {
  /** Lets so much time pass, with everything that happens in it. */
  advance(milliseconds: number): Promise<void>;
  /** Runs the next thing that is scheduled, up to that time; answers whether there was one. */
  step(until?: number): Promise<boolean>;
  /** When the next scheduled thing happens; undefined where nothing does. */
  nextAt(): number | undefined;
  /** The same time as the product's clock. */
  readonly asClock: Clock;
  /** How many sleeps of `asClock` have come to their end: then a visitor has something to do. */
  readonly woken: number;
}

interface Entry {
  readonly at: number;
  readonly order: number;
  readonly action: () => void | Promise<void>;
}

/** A clock that stands still until it is advanced. */
export function createVirtualClock(start: Date): VirtualClock {
  const begun = start.getTime();
  let time = begun;
  let orders = 0;
  let woken = 0;
  const queue: Entry[] = [];
  let advancing: Promise<unknown> = Promise.resolve();

  const clock: VirtualClock = {
    get woken() {
      return woken;
    },
    now: () => time,
    nextAt: () => queue[0]?.at,
    schedule(delayMs, action) {
      const entry: Entry = { at: time + Math.max(0, delayMs), order: orders++, action };
      queue.splice(findPlace(queue, entry), 0, entry);
      return () => {
        const place = queue.indexOf(entry);
        if (place >= 0) queue.splice(place, 1);
      };
    },
    step(until = Number.POSITIVE_INFINITY) {
      return inTurn(() => stepNow(until));
    },
    advance(milliseconds) {
      return inTurn(async () => {
        const end = time + milliseconds;
        while (await stepNow(end));
        time = Math.max(time, end);
      });
    },
    asClock: {
      now: () => new Date(time),
      monotonic: () => time - begun,
      sleep: (milliseconds, signal) =>
        new Promise((resolve, reject) => {
          const fail = () => reject(signal.reason as Error);
          if (signal.aborted) {
            fail();
            return;
          }
          const onAbort = () => {
            cancel();
            fail();
          };
          const cancel = clock.schedule(milliseconds, () => {
            signal.removeEventListener('abort', onAbort);
            woken += 1;
            resolve();
          });
          signal.addEventListener('abort', onAbort, { once: true });
        }),
    },
  };
  return clock;

  async function stepNow(until: number): Promise<boolean> {
    const [next] = queue;
    if (next === undefined || next.at > until) return false;
    queue.shift();
    time = Math.max(time, next.at);
    await next.action();
    return true;
  }

  /** One at a time: an advance during an advance waits for it. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = advancing.then(work);
    advancing = turn.catch(() => undefined);
    return turn;
  }
}

function findPlace(queue: readonly Entry[], entry: Entry): number {
  let [low, high] = [0, queue.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = queue[middle];
    if (other !== undefined && (other.at < entry.at || (other.at === entry.at && other.order < entry.order)))
      low = middle + 1;
    else high = middle;
  }
  return low;
}
