import type { Plan } from '../repairs/step.ts';

/** A run's journal: one JSON object a line, each flushed to disk before the next thing happens. No secrets. */
export type JournalEntry =
  | {
      readonly type: 'run-started';
      readonly at: string;
      readonly run: string;
      readonly command: 'heal' | 'undo';
      readonly cluster: string;
      readonly engineId: string;
      readonly version: string;
      /** For an undo: the run it puts back. */
      readonly undoes: string | null;
    }
  | { readonly type: 'planned'; readonly at: string; readonly round: number; readonly plan: Plan }
  | {
      readonly type: 'snapshot';
      readonly at: string;
      readonly node: string;
      readonly file: string;
      readonly bytes: number;
      readonly sha256: string;
    }
  | { readonly type: 'step-started'; readonly at: string; readonly round: number; readonly step: string }
  /** The bytes a file had before a step and, where the step wrote new ones, what it is to become. */
  | {
      readonly type: 'backup';
      readonly at: string;
      readonly round: number;
      readonly step: string;
      /** Null for a file of this host. */
      readonly node: string | null;
      readonly path: string;
      /** Name of the backup in the run's folder; null where the file did not exist. */
      readonly backup: string | null;
      readonly sha256: string | null;
      readonly mode: number;
      readonly uid: number;
      readonly gid: number;
    }
  /** What a step left in a file, so that undo can tell whether somebody else changed it since. */
  | {
      readonly type: 'wrote';
      readonly at: string;
      readonly round: number;
      readonly step: string;
      readonly node: string | null;
      readonly path: string;
      readonly sha256: string | null;
      readonly copy: string | null;
    }
  | {
      readonly type: 'step-done';
      readonly at: string;
      readonly round: number;
      readonly step: string;
      readonly note: string;
    }
  | {
      readonly type: 'step-failed';
      readonly at: string;
      readonly round: number;
      readonly step: string;
      readonly reason: string;
    }
  | {
      readonly type: 'step-skipped';
      readonly at: string;
      readonly round: number;
      readonly step: string;
      readonly reason: string;
    }
  | {
      readonly type: 'run-ended';
      readonly at: string;
      readonly verdict: string;
      readonly millisecondsToReady: number | null;
    };

type WithoutTime<Entry> = Entry extends unknown ? Omit<Entry, 'at'> : never;
export type JournalRecord = WithoutTime<JournalEntry>;

export interface StoredFile {
  readonly contents: Uint8Array;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

/** A run being applied. */
export interface Run {
  readonly id: string;
  readonly directory: string;
  /**
   * Appends an entry and returns once it is on the disk. `run-ended` is the last one: nothing follows it.
   * Rejects, as the other methods do, with a StateError where the disk is full or the folder may not be written.
   */
  record(entry: JournalRecord): Promise<void>;
  /** Keeps a file's bytes (0600, flushed) and records the `backup` entry; `file` is null where there was none. */
  keepBackup(
    where: { readonly round: number; readonly step: string; readonly node: string | null; readonly path: string },
    file: StoredFile | null,
  ): Promise<void>;
  /**
   * Keeps what a step wrote, for diffs and for undo's precondition, and records the `wrote` entry; `contents` is null
   * where the step removes the file. Where the bytes are known beforehand this comes before the step acts: then undo
   * can judge the file even if a crash falls between the two.
   */
  keepResult(
    where: { readonly round: number; readonly step: string; readonly node: string | null; readonly path: string },
    contents: Uint8Array | null,
  ): Promise<void>;
  /** Keeps an etcd snapshot (0600, flushed) and records the `snapshot` entry; answers its path. */
  keepSnapshot(node: string, contents: Uint8Array): Promise<string>;
  /** The same for a copy of etcd's folder, a gzipped tar, where etcd did not answer. */
  keepEtcdFolder(node: string, contents: Uint8Array): Promise<string>;
  /** Closes a journal that is left without a `run-ended` entry; needed in every case, harmless after the end. */
  close(): Promise<void>;
}

export interface RunSummary {
  readonly id: string;
  readonly command: 'heal' | 'undo';
  readonly cluster: string;
  readonly startedAt: string;
  /** `interrupted` where the journal has no end and nobody holds its lock. */
  readonly state: 'ended' | 'running' | 'interrupted';
  readonly verdict: string | null;
  readonly stepsDone: number;
  readonly undoes: string | null;
}

export interface RunStore {
  readonly directory: string;
  begin(start: {
    readonly command: 'heal' | 'undo';
    readonly cluster: string;
    readonly engineId: string;
    readonly version: string;
    readonly undoes: string | null;
  }): Promise<Run>;
  /** Newest first. */
  list(): Promise<RunSummary[]>;
  /** The journal of one run; rejects with a RunNotFoundError. A line cut short by a crash is left out. */
  read(run: string): Promise<JournalEntry[]>;
  readStored(run: string, name: string): Promise<Buffer>;
}

export interface LockHolder {
  readonly pid: number;
  readonly host: string;
  readonly command: string;
  /** ISO 8601. */
  readonly since: string;
  /** What tells the process from a later one of the same number, where the platform has it; see process.ts. */
  readonly processStart?: string;
}
