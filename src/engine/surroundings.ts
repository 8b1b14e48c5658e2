import type { Sleep } from '../sleep.ts';

/** Everything the engine takes from outside itself, so that tests and the simulated world can give it theirs. */
export interface Clock {
  now(): Date;
  /** Milliseconds from an arbitrary start, never turned back. */
  monotonic(): number;
  /** Resolves after so many milliseconds; rejects with the signal's reason when it aborts first. */
  readonly sleep: Sleep;
}

export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly uid: number;
  readonly workingDirectory: string;
  readonly clock: Clock;
  readonly randomId: () => string;
  readonly pid: number;
  readonly hostName: string;
  /** rekindle's own version. */
  readonly version: string;
}
