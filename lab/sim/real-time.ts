import type { Clock } from '../../src/engine/surroundings.ts';
import type { VirtualClock } from './clock.ts';

/** How far the world's clock may lag behind. Milliseconds. */
const tickMs = 20;
/** What is made up for in one go: the process has other things to do as well, such as to be interrupted. Milliseconds. */
const sliceMs = 10_000;

/**
 * Lets the world's clock show the real time while something visits it, also from other processes. Where it shows less at
 * the beginning, or the computer slept, it is brought up first. Rejects where something that happens in the world fails.
 */
export async function followRealTime<T>(clock: VirtualClock, real: Clock, visit: Promise<T>): Promise<T> {
  const over = new AbortController();
  const end = () => over.abort();
  visit.then(end, end);
  const pass = async (): Promise<T> => {
    while (!over.signal.aborted) {
      await catchUp(clock, () => real.now().getTime(), over.signal);
      await real.sleep(tickMs, over.signal).catch(() => undefined);
    }
    return await visit;
  };
  return await Promise.race([visit, pass()]);
}

/** Lets time pass in the world until its clock shows that moment, and gives way to the rest of the process now and then. */
export async function catchUp(clock: VirtualClock, target: () => number, signal: AbortSignal): Promise<void> {
  for (;;) {
    const behind = target() - clock.now();
    if (behind <= 0 || signal.aborted) return;
    await clock.advance(Math.min(behind, sliceMs));
    if (behind > sliceMs) await giveWay();
  }
}

function giveWay(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
