import type { FileHandle } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { parseJournal } from './entry.ts';
import { RunNotFoundError, StateError, systemCode, toStateError } from './errors.ts';
import { diskFiles, fileMode, folderMode, makeFolder, type StateFiles, syncFolder } from './files.ts';
import type { JournalEntry, LockHolder, Run, RunStore, RunSummary } from './journal.ts';
import { lockDirectory, lockKey, readHolder } from './lock.ts';
import { isHolderAlive } from './process.ts';
import { openRun } from './run.ts';

export interface RunStoreOptions {
  /** See `stateDirectory`. */
  readonly directory: string;
  readonly clock: { now(): Date };
  /** At least four of `a-z 0-9`, random: tells runs of one second apart. */
  readonly randomId: () => string;
  /** Whether the holder of a lock still runs; asks the system where it is left out. */
  readonly isAlive?: (holder: LockHolder) => boolean | Promise<boolean>;
  readonly files?: StateFiles;
}

const runId = /^\d{8}-\d{6}-[a-z0-9]{4,12}$/;
const storedName = /^(?:(?:backups|results)\/\d{4,8}|etcd-[a-z0-9_%~.-]+\.(?:db|tar\.gz))$/;

/**
 * Runs kept below one folder: `runs/<id>/journal.jsonl`, `backups/0001`, `results/0001`, `etcd-<node>.db`. Folders
 * are 0700, files 0600. Nothing is made before the first run begins.
 */
export function openRunStore(options: RunStoreOptions): RunStore {
  const { directory, clock, files = diskFiles } = options;
  const isAlive = options.isAlive ?? isHolderAliveHere;
  const runs = join(directory, 'runs');

  async function readEntries(run: string, onDamage: 'throw' | 'stop'): Promise<JournalEntry[]> {
    const path = join(runs, run, 'journal.jsonl');
    if (!runId.test(run)) throw new RunNotFoundError(`"${run}" is not the id of a run. \`rekindle runs\` lists them.`);
    try {
      return parseJournal(await files.readFile(path), path, onDamage);
    } catch (error) {
      if (['ENOENT', 'ENOTDIR'].includes(systemCode(error))) {
        throw new RunNotFoundError(`there is no run ${run} in ${runs}. \`rekindle runs\` lists them.`);
      }
      throw toStateError(error, `read the journal of run ${run}`, path);
    }
  }

  return {
    directory,

    async begin(start): Promise<Run> {
      await makeFolder(files, directory);
      await makeFolder(files, runs);
      const { id, folder } = await makeRunFolder(files, runs, clock, options.randomId);
      const path = join(folder, 'journal.jsonl');
      const journal = await openJournal(files, id, path);
      const run = openRun({ id, folder, journal, clock, files });
      try {
        await syncFolder(files, folder);
        await syncFolder(files, runs);
        await run.record({ type: 'run-started', run: id, ...start });
        return run;
      } catch (error) {
        await run.close();
        throw toStateError(error, `begin the journal of run ${id}`, path);
      }
    },

    async list(): Promise<RunSummary[]> {
      const names = await files.readdir(runs).catch((error: unknown) => {
        if (systemCode(error) === 'ENOENT') return [];
        throw toStateError(error, 'list the runs', runs);
      });
      const summaries: Summary[] = [];
      for (const name of names.filter((each) => runId.test(each))) {
        // A damaged journal must not hide the other runs; reading that one run tells what is wrong with it.
        const entries = await readEntries(name, 'stop').catch((error: unknown) => {
          if (error instanceof RunNotFoundError) return [];
          throw error;
        });
        const summary = summarize(name, entries);
        if (summary !== null) summaries.push(summary);
      }
      summaries.sort((a, b) => compare(b.startedAt, a.startedAt) || compare(b.id, a.id));
      return await markRunning(summaries, directory, isAlive, files);
    },

    read: async (run) => await readEntries(run, 'throw'),

    async readStored(run, name): Promise<Buffer> {
      const path = join(runs, run, name);
      if (!runId.test(run))
        throw new RunNotFoundError(`"${run}" is not the id of a run. \`rekindle runs\` lists them.`);
      if (!storedName.test(name)) {
        throw new StateError(`"${name}" is not the name of a file that run ${run} keeps.`, { path: join(runs, run) });
      }
      try {
        return await files.readFile(path);
      } catch (error) {
        throw toStateError(error, `read what run ${run} kept`, path);
      }
    },
  };
}

async function openJournal(files: StateFiles, id: string, path: string): Promise<FileHandle> {
  try {
    const journal = await files.open(path, 'ax', fileMode);
    await journal.chmod(fileMode);
    return journal;
  } catch (error) {
    throw toStateError(error, `begin the journal of run ${id}`, path);
  }
}

async function makeRunFolder(
  files: StateFiles,
  runs: string,
  clock: { now(): Date },
  randomId: () => string,
): Promise<{ id: string; folder: string }> {
  for (let attempt = 1; attempt <= 20; attempt++) {
    const id = nameRun(clock.now(), randomId());
    const folder = join(runs, id);
    try {
      await files.mkdir(folder, { recursive: false, mode: folderMode });
      for (const each of [folder, join(folder, 'backups'), join(folder, 'results')]) await makeFolder(files, each);
      return { id, folder };
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw toStateError(error, 'make the folder of a run', folder);
    }
  }
  throw new StateError(`cannot find a free name for a run in ${runs}: 20 were taken. Try again in a second.`, {
    path: runs,
  });
}

/** `20261130-181502-x4k2`, in UTC: sorts by time, whatever the time zone and its summer do. */
function nameRun(now: Date, random: string): string {
  const digits = now.toISOString().replace(/\D/g, '');
  const suffix = random
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
    .slice(0, 4)
    .padEnd(4, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8, 14)}-${suffix}`;
}

type Summary = RunSummary & { readonly engineId: string };

/** Null for a folder whose run never got as far as its first entry: it did nothing. */
function summarize(id: string, entries: readonly JournalEntry[]): Summary | null {
  const [start] = entries;
  if (start?.type !== 'run-started') return null;
  const end = entries.findLast((entry) => entry.type === 'run-ended');
  return {
    id,
    command: start.command,
    cluster: start.cluster,
    engineId: start.engineId,
    startedAt: start.at,
    state: end === undefined ? 'interrupted' : 'ended',
    verdict: end?.verdict ?? null,
    stepsDone: entries.filter((entry) => entry.type === 'step-done').length,
    undoes: start.undoes,
  };
}

/** Of a cluster's runs without an end, the newest is running if it began under a lock that is still held. */
async function markRunning(
  summaries: readonly Summary[],
  directory: string,
  isAlive: (holder: LockHolder) => boolean | Promise<boolean>,
  files: StateFiles,
): Promise<RunSummary[]> {
  const looked = new Set<string>();
  const marked: RunSummary[] = [];
  for (const { engineId, ...summary } of summaries) {
    const key = lockKey(summary.cluster, engineId);
    const newest = !looked.has(key);
    looked.add(key);
    if (!newest || summary.state === 'ended') {
      marked.push(summary);
      continue;
    }
    const holder = await readHolder(lockDirectory(directory), key, files);
    const running = holder !== null && holder.since <= summary.startedAt && (await isAlive(holder));
    marked.push(running ? { ...summary, state: 'running' } : summary);
  }
  return marked;
}

/** Another host's process cannot be judged from here, so it counts as alive. */
async function isHolderAliveHere(holder: LockHolder): Promise<boolean> {
  return holder.host !== hostname() || (await isHolderAlive(holder, process.platform));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
