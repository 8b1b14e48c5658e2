import type { Clock } from '../../../src/engine/surroundings.ts';
import type { VirtualClock } from '../clock.ts';
import { followRealTime } from '../real-time.ts';
import type { SimWorld } from '../world.ts';

/** How time passes once the demonstration has been staged. */
export interface DemoTime {
  /** What the world's clock has to show by then. Milliseconds since the epoch. */
  now(): number;
  /** The product's own clock. */
  clockFor(clock: VirtualClock): Clock;
  /** Lets the world's time pass while something visits it. */
  follow<T>(world: SimWorld, visit: Promise<T>): Promise<T>;
}

/** For people who watch, and for other programs that look into the world. */
export function makeRealTime(real: Clock): DemoTime {
  return {
    now: () => real.now().getTime(),
    clockFor: () => real,
    follow: (world, visit) => followRealTime(world.clock, real, visit),
  };
}

const anHour = 3_600_000;

/** Leaps from one thing that happens to the next; for a visitor in this process whose code is loaded already. */
export function makeLeapingTime(now: number): DemoTime {
  return {
    now: () => now,
    clockFor: (clock) => clock.asClock,
    follow: (world, visit) => world.driver.run(visit, anHour),
  };
}
