import type { Sleep } from '../sleep.ts';
import { dirname } from 'node:path';

/** The part of node:fs/promises that the lock needs. */
export interface LockFiles {
  open(
    path: string,
    flags: 'wx',
    mode: number,
  ): Promise<{ writeFile(text: string): Promise<void>; close(): Promise<void> }>;
  readFile(path: string, encoding: 'utf8'): Promise<string>;
  rename(from: string, to: string): Promise<void>;
  mkdir(path: string, options: { readonly recursive: true }): Promise<unknown>;
  unlink(path: string): Promise<void>;
}

/** Who takes a lock, as written into its file; kubectl and kind write nothing there and read nothing. */
export interface LockTaker {
  readonly text: string;
  /** Whether a text was written by one of our own that is gone for good; false in doubt. */
  isGone(text: string): Promise<boolean>;
}

export interface LockOptions {
  readonly taker: LockTaker;
  readonly files: LockFiles;
  /** Rejects when the signal aborts. */
  readonly sleep: Sleep;
  readonly signal: AbortSignal;
  /** How often to try again, every 100 ms; 20 by default. */
  readonly retries?: number;
}

/** Somebody else holds the lock, or left it behind. */
export class LockedError extends Error {
  readonly lockFile: string;
  constructor(file: string, lockFile: string) {
    super(
      `${file} is locked: ${lockFile} exists. Another kubectl or kind may be writing it; ` +
        `if none is running, a crash left the lock behind: remove ${lockFile} and try again.`,
    );
    this.name = 'LockedError';
    this.lockFile = lockFile;
  }
}

/**
 * Runs the action while holding the lock that kubectl and kind respect: `<file>.lock`, made only where it does not exist
 * (client-go's tools/clientcmd: loader.go). Rejects with a LockedError where the lock stays. A lock that one of us left
 * behind when it was killed is taken away, since it would stop kubectl and kind for good; any other is never removed.
 */
export async function withFileLock<T>(file: string, options: LockOptions, action: () => Promise<T>): Promise<T> {
  const { files, taker } = options;
  const lockFile = `${file}.lock`;
  await files.mkdir(dirname(file), { recursive: true });
  for (let left = options.retries ?? 20; !(await makeLock(lockFile, taker, files)); left -= 1) {
    if (await removeAbandoned(lockFile, taker, files)) continue;
    if (left <= 0) throw new LockedError(file, lockFile);
    await options.sleep(100, options.signal);
  }
  try {
    return await action();
  } finally {
    await files.unlink(lockFile);
  }
}

async function makeLock(lockFile: string, taker: LockTaker, files: LockFiles): Promise<boolean> {
  try {
    const handle = await files.open(lockFile, 'wx', 0o600);
    try {
      await handle.writeFile(taker.text);
    } finally {
      await handle.close();
    }
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** By renaming it first: of two that find the same lock only one gets it, and what was renamed is looked at again. */
async function removeAbandoned(lockFile: string, taker: LockTaker, files: LockFiles): Promise<boolean> {
  const found = await readQuietly(lockFile, files);
  if (found === undefined || !(await taker.isGone(found))) return false;
  const aside = `${lockFile}.abandoned`;
  try {
    await files.rename(lockFile, aside);
    if ((await readQuietly(aside, files)) === found) {
      await files.unlink(aside);
      return true;
    }
    await files.rename(aside, lockFile);
  } catch {
    // Somebody else was faster.
  }
  return false;
}

/** undefined where it is gone, or somebody else's: kubectl makes a lock that nobody may read. */
async function readQuietly(path: string, files: LockFiles): Promise<string | undefined> {
  try {
    return await files.readFile(path, 'utf8');
  } catch {
    return undefined;
  }
}
