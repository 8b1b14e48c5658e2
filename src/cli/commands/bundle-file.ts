import { link, lstat, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BlockedError, UsageError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';

/** Rejects with a UsageError where something has that name already, be it a link that leads nowhere, or no folder is there for it. */
export async function requireNoFile(path: string): Promise<void> {
  const found = await lstat(path).catch(() => null);
  if (found?.isDirectory() === true) throw isFolder(path);
  if (found !== null) throw existsAlready(path);
  const folder = await stat(dirname(path)).catch(() => null);
  if (folder?.isDirectory() !== true) throw new UsageError(`${path} cannot be written`, 'is there such a folder?');
}

/**
 * A new file of mode 0600, on the disk when this resolves; nothing is ever overwritten. It gets its name when it is
 * whole: a crash leaves at most a hidden file beside it, whose name ends in `word` and `.part`.
 */
export async function writeNewFile(path: string, bytes: Buffer, word: string): Promise<void> {
  const draft = join(dirname(path), `.rekindle-${word}.part`);
  try {
    await writeWhole(draft, bytes);
    try {
      await giveName(draft, path);
    } finally {
      await rm(draft, { force: true });
    }
  } catch (error) {
    const code = readCode(error);
    if (code === 'EEXIST') throw existsAlready(path);
    const message = `${path} cannot be written: ${error instanceof Error ? error.message : String(error)}`;
    if (code === 'ENOENT' || code === 'ENOTDIR') throw new UsageError(message, 'is there such a folder?');
    throw new BlockedError(exitCodes.couldNotLook, message, 'choose another place with --output', { cause: error });
  }
}

/** Leaves nothing where it fails. */
async function writeWhole(path: string, bytes: Buffer): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
    await file.close();
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(path, { force: true });
    throw error;
  }
}

/** Rejects with EEXIST where something has the name. Where there are no hard links, an empty file reserves it first. */
async function giveName(draft: string, path: string): Promise<void> {
  try {
    await link(draft, path);
  } catch (error) {
    if (!noLinks.has(readCode(error))) throw error;
    await (await open(path, 'wx', 0o600)).close();
    await rename(draft, path);
  }
}

/** How file systems without hard links refuse one: FAT, shares, some mounts of containers. */
const noLinks: ReadonlySet<unknown> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL', 'EMLINK']);

function readCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

function existsAlready(path: string): UsageError {
  return new UsageError(`${path} exists already, and is not overwritten`, 'choose another name with --output');
}

function isFolder(path: string): UsageError {
  return new UsageError(`${path} is a folder`, 'name the file in it too');
}
