import type { Host } from '../../engine/messages.ts';
import type { ResultDocument } from '../documents.ts';
import type { Streams } from '../streams.ts';
import type { Surroundings } from '../../engine/surroundings.ts';

export type OutputFormat = 'table' | 'json' | 'yaml';

/** A host of the engine that also shows a command's result. Hosts are the only code that prints. */
export interface CommandHost extends Host {
  /** The result, to standard output; once for each command. */
  present(document: ResultDocument): void;
  /** Clears what is drawn in place; nothing is told after it. */
  close(): void;
}

export interface HostOptions {
  readonly output: OutputFormat;
  readonly verbose: boolean;
  /** False with --no-color. */
  readonly color: boolean;
  /** Tell of diagnosis, plan and steps; without it only of what is being waited for. */
  readonly narrate: boolean;
  /** `rekindle` or `kubectl rekindle`. */
  readonly program: string;
  readonly streams: Streams;
  readonly surroundings: Surroundings;
  /** Ctrl-C while a prompt holds the terminal, where no signal is raised. */
  readonly interrupt: () => void;
}
