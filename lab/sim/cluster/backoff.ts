/** The kubelet's back-off for containers that end (client-go's flowcontrol.Backoff, as kuberuntime uses it). */
export interface BackOff {
  /** How long to wait before the next start, in milliseconds from now, of a container that ended at `finishedAt`. */
  next(finishedAt: number, now: number): number;
  /** The whole delay that began last, in seconds; 0 where there was none. */
  readonly seconds: number;
}

const firstMs = 10_000;
const longestMs = 300_000;

export function createBackOff(): BackOff {
  let delay = 0;
  let begun = 0;
  let updatedAt = 0;
  return {
    get seconds() {
      return begun / 1000;
    },
    next(finishedAt, now) {
      // After ten minutes without a fall the container has earned a fresh start.
      if (delay > 0 && finishedAt - updatedAt > 2 * longestMs) delay = 0;
      begun = delay;
      const wait = Math.max(0, finishedAt + delay - now);
      delay = delay === 0 ? firstMs : Math.min(longestMs, delay * 2);
      updatedAt = now + wait;
      return wait;
    },
  };
}

/** As the kubelet writes the delay that has just begun: `10s`, `2m40s`. */
export function formatBackOff({ seconds }: BackOff): string {
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}
