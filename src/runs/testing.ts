import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { PlannedStep, Step } from '../repairs/step.ts';
import type { JournalEntry, JournalRecord } from './journal.ts';
import { openRunStore, type RunStoreOptions } from './store.ts';

/** A new folder that is gone when the test is over. */
export async function makeTemporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rekindle-runs-'));
  onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A store whose clock starts at 2026-11-30 18:15:02 UTC and goes on by a second with each run begun or entry written. */
export function openTestStore(directory: string, options: Partial<RunStoreOptions> = {}) {
  let seconds = 0;
  let ids = 0;
  const store = openRunStore({
    directory,
    clock: { now: () => new Date(Date.UTC(2026, 10, 30, 18, 15, 2 + seconds++)) },
    randomId: () => `x${ids++}k2`,
    ...options,
  });
  return {
    ...store,
    begin: async (...about: Parameters<typeof store.begin>) => {
      const run = await store.begin(...about);
      onTestFinished(async () => await run.close());
      return run;
    },
  };
}

export const start = {
  command: 'heal',
  cluster: 'idp-mvp',
  engineId: 'engine-1',
  version: '0.1.0',
  undoes: null,
} as const;

export function makePlanned(id: string, step: Step): PlannedStep {
  return { id, step, title: `step ${id}: ${step.kind}`, reasons: [], mends: [], risk: 'safe', needs: [] };
}

export function stamp(records: readonly JournalRecord[]): JournalEntry[] {
  return records.map((record) => ({ at: '2026-11-30T18:15:02.000Z', ...record }));
}
