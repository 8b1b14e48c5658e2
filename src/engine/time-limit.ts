import { setMaxListeners } from 'node:events';
import type { Clock } from './surroundings.ts';

export interface TimeLimit {
  /** Aborts when the time is over, when the outer signal does, and when the limit is cleared. */
  readonly signal: AbortSignal;
  /** Ends the timer, and whatever still follows the signal. */
  clear(): void;
}

/** A signal that aborts after so many milliseconds by the given clock. */
export function limitTime(clock: Clock, milliseconds: number, outer: AbortSignal): TimeLimit {
  const expired = new AbortController();
  const done = new AbortController();
  void clock.sleep(milliseconds, AbortSignal.any([outer, done.signal])).then(
    () => expired.abort(new Error(`the time given (${Math.round(milliseconds / 1000)} s) is over`)),
    () => undefined,
  );
  const signal = AbortSignal.any([outer, expired.signal, done.signal]);
  // As many calls listen at once as there are nodes to look into.
  setMaxListeners(0, signal);
  return {
    signal,
    clear: () => done.abort(new Error('no longer needed')),
  };
}
