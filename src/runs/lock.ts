import { randomUUID } from 'node:crypto';
import { basename, join } from 'node:path';
import * as z from 'zod';
import { StateError, systemCode, toStateError } from './errors.ts';
import { diskFiles, makeFolder, removeQuietly, type StateFiles, writeNewFile } from './files.ts';
import type { LockHolder } from './journal.ts';
import { escapeName, hash } from './names.ts';

/*
 * A lock of our own: it must name its holder, outlive no dead process, and fall to exactly one taker. proper-lockfile
 * 4.1.2 judges by the age of a folder that two takers may both remove (its issue 121), and names nobody; Node has no
 * flock(2).
 *
 * The lock is one file with a random token and the holder. It is written elsewhere, flushed and linked into place, so
 * it is there whole or not at all, and link(2) lets one contender win. A dead holder's lock is never removed, only
 * replaced: takers link their own file to the name `<lock>.<token of the dead>.next`, which again one of them wins;
 * that one alone may rename its claim over the lock, provided that the lock still has the token it started from.
 * Since tokens never come back, a taker who slept through somebody else's takeover finds another token and gives up.
 * A taker that dies on the way leaves its claim as the end of the chain, and is taken over by the same rule.
 */

/** Somebody else holds the lock. */
export class LockedError extends Error {
  readonly holder: LockHolder;
  constructor(message: string, holder: LockHolder) {
    super(message);
    this.name = 'LockedError';
    this.holder = holder;
  }
}

export interface Lock {
  /** Gives the lock back; a second call does nothing. */
  release(): Promise<void>;
}

export interface LockRequest {
  readonly directory: string;
  /** What is locked, any text; see `lockKey`. */
  readonly key: string;
  readonly holder: LockHolder;
  /** Whether a process of this host that took the lock still runs; never asked about another host's. */
  readonly isAlive: (holder: LockHolder) => boolean | Promise<boolean>;
  readonly files?: StateFiles;
}

/** Where a state folder keeps its locks. */
export function lockDirectory(stateDirectory: string): string {
  return join(stateDirectory, 'locks');
}

/** One run per cluster and engine: clusters of one name on two engines do not wait for each other. */
export function lockKey(cluster: string, engineId: string): string {
  return `${cluster}@${engineId}`;
}

/** Takes the lock, or rejects with a LockedError that names the holder; does not wait. */
export async function acquireLock(request: LockRequest): Promise<Lock> {
  const { directory, holder, files = diskFiles } = request;
  const lock = lockPath(directory, request.key);
  await makeFolder(files, directory);
  const token = randomUUID();
  const contents = Buffer.from(JSON.stringify({ token, holder }));
  // Each failed attempt means that another process got further, so a few are enough.
  for (let attempt = 1; attempt <= 100; attempt++) {
    const draft = `${lock}.${token}-${attempt}.new`;
    try {
      await writeNewFile(files, draft, contents);
      if (await tryOnce(request, files, lock, draft, token)) {
        await sweep(files, directory, lock);
        return { release: async () => await release(files, lock, token) };
      }
    } catch (error) {
      if (error instanceof LockedError) throw error;
      if (['EPERM', 'ENOTSUP', 'ENOSYS', 'EOPNOTSUPP'].includes(systemCode(error))) {
        throw new StateError(
          `cannot take the lock ${lock}: this file system lets no file have two names, or the folder is not yours. ` +
            "Name a folder on another file system for rekindle's data in XDG_DATA_HOME.",
          { path: lock, code: systemCode(error), cause: error },
        );
      }
      throw toStateError(error, 'take the lock', lock);
    } finally {
      await removeQuietly(files, draft);
    }
  }
  throw new StateError(`cannot take the lock ${lock}: it changes hands all the time. Try again in a moment.`, {
    path: lock,
  });
}

/** Who holds the lock, dead or alive; null where nobody does. */
export async function readHolder(
  directory: string,
  key: string,
  files: StateFiles = diskFiles,
): Promise<LockHolder | null> {
  const chain = await readChain(files, lockPath(directory, key));
  return chain.at(-1)?.holder ?? null;
}

interface LockFile {
  readonly token: string;
  /** Null where the file holds no holder: not written by this code, or damaged by a crash. It holds up nobody. */
  readonly holder: LockHolder | null;
}

/** A LockHolder as it stands in a file. */
export const lockHolder = z.object({
  pid: z.number(),
  host: z.string(),
  command: z.string(),
  since: z.string(),
  processStart: z.string().exactOptional(),
});

const lockFile = z.object({ token: z.string().regex(/^[0-9a-f-]{36}$/), holder: lockHolder });

function lockPath(directory: string, key: string): string {
  return join(directory, `${escapeName(key)}.lock`);
}

/** One attempt; false means that somebody else moved in the meantime. */
async function tryOnce(
  request: LockRequest,
  files: StateFiles,
  lock: string,
  draft: string,
  token: string,
): Promise<boolean> {
  if (await linkNew(files, draft, lock)) return true;
  const chain = await readChain(files, lock);
  const [first] = chain;
  const last = chain.at(-1);
  if (first === undefined || last === undefined) return false;
  // Network file systems may do what is asked and answer that the name was taken.
  if (first.token === token) return true;
  if (last.holder !== null) {
    const foreign = last.holder.host !== request.holder.host;
    if (foreign || (await request.isAlive(last.holder)))
      throw new LockedError(sayLocked(last.holder, foreign, lock), last.holder);
  }
  const claim = claimPath(lock, last.token);
  if (!(await linkNew(files, draft, claim))) return false;
  const now = await readLockFile(files, lock).catch(async (error: unknown) => {
    await removeQuietly(files, claim);
    throw error;
  });
  if (now?.token !== first.token) {
    await removeQuietly(files, claim);
    return false;
  }
  try {
    await files.rename(claim, lock);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    await removeQuietly(files, claim);
    throw error;
  }
  return true;
}

/** True where the name was free. A draft that somebody swept away, or a name that is taken, is false. */
async function linkNew(files: StateFiles, draft: string, name: string): Promise<boolean> {
  try {
    await files.link(draft, name);
    return true;
  } catch (error) {
    if (['EEXIST', 'ENOENT'].includes(systemCode(error))) return false;
    throw error;
  }
}

function claimPath(lock: string, token: string): string {
  return `${lock}.${token}.next`;
}

/** The lock and, behind it, the claims of those who died while taking over; empty where the lock is free. */
async function readChain(files: StateFiles, lock: string): Promise<LockFile[]> {
  const chain: LockFile[] = [];
  for (let path = lock; ; ) {
    const found = await readLockFile(files, path);
    if (found === null) return chain;
    chain.push(found);
    path = claimPath(lock, found.token);
  }
}

async function readLockFile(files: StateFiles, path: string): Promise<LockFile | null> {
  let bytes: Buffer;
  try {
    bytes = await files.readFile(path);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw toStateError(error, 'read the lock', path);
  }
  try {
    const parsed = lockFile.safeParse(JSON.parse(bytes.toString('utf8')));
    if (parsed.success) return parsed.data;
  } catch {
    // Not JSON: damaged, see below.
  }
  return { token: `damaged-${hash(Buffer.concat([bytes, Buffer.from(basename(path))])).slice(0, 32)}`, holder: null };
}

/** Only the holder sweeps: while it lives, no claim and no draft of another can come to anything. */
async function sweep(files: StateFiles, directory: string, lock: string): Promise<void> {
  const prefix = `${basename(lock)}.`;
  const names = await files.readdir(directory).catch(() => []);
  for (const name of names) {
    if (name.startsWith(prefix) && /\.(new|next)$/.test(name)) await removeQuietly(files, join(directory, name));
  }
}

async function release(files: StateFiles, lock: string, token: string): Promise<void> {
  try {
    // Removed by hand, or taken by somebody after that: then it is not ours to remove.
    if ((await readLockFile(files, lock))?.token === token) await files.unlink(lock);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw toStateError(error, 'give the lock back', lock);
  }
}

function sayLocked(holder: LockHolder, foreign: boolean, lock: string): string {
  const who = `"${holder.command}" (process ${holder.pid} on ${holder.host}, since ${holder.since})`;
  const start = `another rekindle is at work on this cluster: ${who}.`;
  if (foreign) return `${start} Whether it still runs cannot be seen from this host. If it does not, remove ${lock}.`;
  if (holder.processStart !== undefined) return `${start} Wait until it has ended, or stop it.`;
  return `${start} Wait until it has ended, or stop it. If process ${holder.pid} is something else, remove ${lock}.`;
}
