import type { SimClock } from '../clock.ts';

export interface DockerEvent {
  readonly type: string;
  readonly action: string;
  readonly actor: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** Milliseconds since the epoch. */
  readonly time: number;
}

export interface EventLog {
  write(event: Omit<DockerEvent, 'time'>): void;
  /** The last ones, oldest first: Docker keeps 256. */
  recent(): readonly DockerEvent[];
  follow(listener: (event: DockerEvent) => void): () => void;
  /** Docker keeps them in memory only: they are gone with the engine. */
  clear(): void;
}

const KEPT = 256;

export function createEventLog(clock: SimClock): EventLog {
  const kept: DockerEvent[] = [];
  const listeners = new Set<(event: DockerEvent) => void>();
  return {
    write(event) {
      const full = { ...event, time: clock.now() };
      kept.push(full);
      if (kept.length > KEPT) kept.shift();
      for (const listener of listeners) listener(full);
    },
    recent: () => kept,
    follow(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    clear: () => void kept.splice(0),
  };
}
