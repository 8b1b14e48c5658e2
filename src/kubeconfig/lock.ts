import { dirname } from 'node:path';

/** The part of node:fs/promises that the lock needs. */
export interface LockFiles {
  open(path: string, flags: 'wx', mode: number): Promise<{ close(): Promise<void> }>;
  mkdir(path: string, options: { readonly recursive: true }): Promise<unknown>;
  unlink(path: string): Promise<void>;
}

export interface LockOptions {
  readonly files: LockFiles;
  /** Rejects when the signal aborts. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
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
 * (client-go's tools/clientcmd: loader.go). Rejects with a LockedError where the lock stays; a lock that we did not make
 * is never removed.
 */
export async function withFileLock<T>(file: string, options: LockOptions, action: () => Promise<T>): Promise<T> {
  const lockFile = `${file}.lock`;
  await options.files.mkdir(dirname(file), { recursive: true });
  for (let left = options.retries ?? 20; !(await makeLock(lockFile, options.files)); left -= 1) {
    if (left <= 0) throw new LockedError(file, lockFile);
    await options.sleep(100, options.signal);
  }
  try {
    return await action();
  } finally {
    await options.files.unlink(lockFile);
  }
}

async function makeLock(lockFile: string, files: LockFiles): Promise<boolean> {
  try {
    const handle = await files.open(lockFile, 'wx', 0);
    await handle.close();
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}
