import { setImmediate as yieldTurn } from 'node:timers/promises';
import type { SimClock } from '../clock.ts';
import type { Activity } from '../contracts.ts';

/** One request's claim that the world is busy, which it gives back while it waits for the clock. */
export interface Lease {
  release(): void;
  resume(): void;
  /** Released for good: the request is over, whatever still goes on for it. */
  close(): void;
}

export function openLease(activity: Activity | undefined): Lease {
  let closed = false;
  let done = activity?.begin();
  const lease: Lease = {
    release() {
      done?.();
      done = undefined;
    },
    resume() {
      if (!closed) done ??= activity?.begin();
    },
    close() {
      closed = true;
      lease.release();
    },
  };
  return lease;
}

/** Lets so much time pass. Milliseconds. */
export async function pass(clock: SimClock, milliseconds: number, lease: Lease): Promise<void> {
  if (milliseconds <= 0) return;
  const over = new Promise<void>((resolve) => {
    clock.schedule(milliseconds, () => {
      lease.resume();
      resolve();
    });
  });
  lease.release();
  await over;
}

/** Waits for what happens on the clock. */
export async function waitOutside<T>(lease: Lease, work: Promise<T>): Promise<T> {
  lease.release();
  try {
    return await work;
  } finally {
    lease.resume();
  }
}

/**
 * Waits for work that may need the clock, or may not: nobody can see which. It counts as busy until it has had this
 * many turns of the event loop, which is plenty for what waits for nothing but promises.
 */
export async function holdBriefly<T>(lease: Lease, work: Promise<T>): Promise<T> {
  const progress = { settled: false };
  const watched = work.finally(() => {
    progress.settled = true;
    lease.resume();
  });
  watched.catch(() => undefined);
  for (let turn = 0; turn < BUSY_TURNS && !progress.settled; turn += 1) await yieldTurn();
  if (!progress.settled) lease.release();
  return watched;
}

const BUSY_TURNS = 25;
