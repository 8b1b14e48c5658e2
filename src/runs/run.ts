import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { StateError, toStateError } from './errors.ts';
import { placeFile, type StateFiles } from './files.ts';
import type { JournalRecord, Run } from './journal.ts';
import { escapeName, hash } from './names.ts';

interface RunParts {
  readonly id: string;
  readonly folder: string;
  /** Open for appending, empty. */
  readonly journal: FileHandle;
  readonly clock: { now(): Date };
  readonly files: StateFiles;
}

/** The writing side of one run. Its methods may be called side by side; entries are written one after the other. */
export function openRun({ id, folder, journal, clock, files }: RunParts): Run {
  const path = join(folder, 'journal.jsonl');
  let length = 0;
  let broken: StateError | null = null;
  let closed = false;
  let last: Promise<unknown> = Promise.resolve();

  async function append(entry: JournalRecord): Promise<void> {
    if (broken !== null) throw broken;
    const { type, ...rest } = entry;
    const line = Buffer.from(`${JSON.stringify({ type, at: clock.now().toISOString(), ...rest })}\n`);
    try {
      await writeLine(journal, line);
    } catch (error) {
      const failure = toStateError(error, `write the journal of run ${id}`, path);
      // A part of a line in the middle would make the rest unreadable. Where it cannot be taken back, nothing follows.
      await journal.truncate(length).catch(() => {
        broken = failure;
      });
      throw failure;
    }
    length += line.length;
    try {
      await journal.sync();
    } catch (error) {
      // What reached the disk is unknown from here on, and a second fsync would not tell.
      broken = toStateError(error, `write the journal of run ${id}`, path);
      throw broken;
    }
    if (type === 'run-ended') await end();
  }

  async function end(): Promise<void> {
    broken = new StateError(`run ${id} has ended; nothing can be added to its journal.`, { path });
    const open = !closed;
    closed = true;
    if (open) await journal.close();
  }

  async function record(entry: JournalRecord): Promise<void> {
    const written = last.then(async () => await append(entry));
    last = written.catch(() => undefined);
    await written;
  }

  async function keep(name: string, contents: Uint8Array): Promise<void> {
    const file = join(folder, name);
    try {
      await placeFile(files, file, contents);
    } catch (error) {
      throw toStateError(error, `keep a file of run ${id}`, file);
    }
  }

  const keepBackupBytes = numberFiles('backups', keep);
  const keepResultBytes = numberFiles('results', keep);
  const snapshots = new Map<string, number>();

  async function keepEtcd(node: string, ending: string, contents: Uint8Array): Promise<string> {
    const count = (snapshots.get(node) ?? 0) + 1;
    snapshots.set(node, count);
    const file = `etcd-${escapeName(node)}${count === 1 ? '' : `.${count}`}${ending}`;
    await keep(file, contents);
    await record({ type: 'snapshot', node, file, bytes: contents.length, sha256: hash(contents) });
    return join(folder, file);
  }

  return {
    id,
    directory: folder,
    record,

    async keepBackup(where, file): Promise<void> {
      const kept =
        file === null
          ? { backup: null, sha256: null, mode: 0, uid: 0, gid: 0 }
          : {
              ...(await keepBackupBytes(file.contents).then(({ name, sha256 }) => ({ backup: name, sha256 }))),
              mode: file.mode,
              uid: file.uid,
              gid: file.gid,
            };
      await record({
        type: 'backup',
        round: where.round,
        step: where.step,
        node: where.node,
        path: where.path,
        ...kept,
      });
    },

    async keepResult(where, contents): Promise<void> {
      const kept = contents === null ? null : await keepResultBytes(contents);
      await record({
        type: 'wrote',
        round: where.round,
        step: where.step,
        node: where.node,
        path: where.path,
        sha256: kept?.sha256 ?? null,
        copy: kept?.name ?? null,
      });
    },

    keepSnapshot: (node, contents) => keepEtcd(node, '.db', contents),
    keepEtcdFolder: (node, contents) => keepEtcd(node, '.tar.gz', contents),

    async close(): Promise<void> {
      await last;
      await end();
    },
  };
}

/** Keeps bytes as `<folder>/0001`, `0002`, …; bytes that were kept before are not written a second time. */
function numberFiles(folder: string, keep: (name: string, contents: Uint8Array) => Promise<void>) {
  const kept = new Map<string, Promise<string>>();
  let count = 0;

  async function keepNumbered(contents: Uint8Array): Promise<string> {
    count += 1;
    const name = `${folder}/${String(count).padStart(4, '0')}`;
    await keep(name, contents);
    return name;
  }

  return async (contents: Uint8Array): Promise<{ name: string; sha256: string }> => {
    const sha256 = hash(contents);
    const known = kept.get(sha256) ?? keepNumbered(contents);
    kept.set(sha256, known);
    try {
      return { name: await known, sha256 };
    } catch (error) {
      if (kept.get(sha256) === known) kept.delete(sha256);
      throw error;
    }
  };
}

async function writeLine(journal: FileHandle, line: Buffer): Promise<void> {
  const { bytesWritten } = await journal.write(line);
  if (bytesWritten === line.length) return;
  throw Object.assign(new Error(`only ${bytesWritten} of ${line.length} bytes were written`), { code: 'ENOSPC' });
}
