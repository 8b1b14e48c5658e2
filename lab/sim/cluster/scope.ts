import type { SimClock } from '../clock.ts';

/** Timers that belong to one process: they all end with it. */
export interface Scope {
  /** As SimClock.schedule; does nothing once the scope has ended. */
  schedule(delayMs: number, action: () => void): () => void;
  end(): void;
  readonly ended: boolean;
}

export function createScope(clock: SimClock): Scope {
  const cancels = new Set<() => void>();
  let ended = false;
  return {
    get ended() {
      return ended;
    },
    schedule(delayMs, action) {
      if (ended) return () => undefined;
      const cancel = clock.schedule(delayMs, () => {
        cancels.delete(cancel);
        action();
      });
      cancels.add(cancel);
      return () => {
        cancels.delete(cancel);
        cancel();
      };
    },
    end() {
      ended = true;
      for (const cancel of cancels) cancel();
      cancels.clear();
    },
  };
}

/** Runs a piece of work once, shortly after it was asked for, however often it was asked for. */
export function createDebounce(scope: Scope, delayMs: () => number, work: () => void): () => void {
  let pending = false;
  return () => {
    if (pending) return;
    pending = true;
    scope.schedule(delayMs(), () => {
      pending = false;
      work();
    });
  };
}
