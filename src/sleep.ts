import { setTimeout as delay } from 'node:timers/promises';

/**
 * Resolves after so many milliseconds; rejects when the signal aborts first. What waits takes one from its caller, since
 * simulated worlds have a time of their own.
 */
export type Sleep = (milliseconds: number, signal: AbortSignal) => Promise<void>;

export const sleepForReal: Sleep = (milliseconds, signal) => delay(milliseconds, undefined, { signal });
