import { chmod, type FileHandle, link, mkdir, open, readdir, readFile, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { systemCode, toStateError } from './errors.ts';

/** What the state folder needs of a file system; tests stand between it and the disk. */
export interface StateFiles {
  open(path: string, flags: string, mode?: number): Promise<FileHandle>;
  mkdir(path: string, options: { readonly recursive: boolean; readonly mode: number }): Promise<string | undefined>;
  chmod(path: string, mode: number): Promise<void>;
  readFile(path: string): Promise<Buffer>;
  readdir(path: string): Promise<string[]>;
  rename(from: string, to: string): Promise<void>;
  link(existing: string, added: string): Promise<void>;
  unlink(path: string): Promise<void>;
}

export const diskFiles: StateFiles = { open, mkdir, chmod, readFile, readdir, rename, link, unlink };

export const folderMode = 0o700;
export const fileMode = 0o600;

/** Makes a folder with all above it, 0700, and flushes the entries that were added. */
export async function makeFolder(files: StateFiles, folder: string): Promise<void> {
  try {
    const first = await files.mkdir(folder, { recursive: true, mode: folderMode });
    await files.chmod(folder, folderMode);
    if (first === undefined) return;
    for (let made = folder; ; made = dirname(made)) {
      await syncFolder(files, dirname(made));
      if (made === first || made === dirname(made)) return;
    }
  } catch (error) {
    throw toStateError(error, 'make the folder for what rekindle keeps', folder);
  }
}

/** Flushes a folder's entries: a file that was flushed is only found again after a power cut if its name was, too. */
export async function syncFolder(files: StateFiles, folder: string): Promise<void> {
  let handle: FileHandle;
  try {
    handle = await files.open(folder, 'r');
  } catch (error) {
    // Windows opens no folders; its file system keeps names in a journal of its own.
    if (['EISDIR', 'EPERM', 'EACCES'].includes(systemCode(error))) return;
    throw error;
  }
  try {
    await handle.sync();
  } catch (error) {
    if (!['EINVAL', 'EPERM', 'ENOTSUP', 'EISDIR'].includes(systemCode(error))) throw error;
  } finally {
    await handle.close();
  }
}

/** Writes a new file, 0600, and flushes it. A file of that name must not be there. */
export async function writeNewFile(files: StateFiles, path: string, contents: Uint8Array): Promise<void> {
  const handle = await files.open(path, 'wx', fileMode);
  try {
    await handle.chmod(fileMode);
    await handle.writeFile(contents);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Brings a file into place whole or not at all: temporary name, flush, rename, flush of the folder. */
export async function placeFile(files: StateFiles, path: string, contents: Uint8Array): Promise<void> {
  const folder = dirname(path);
  const temporary = join(folder, `.${basename(path)}.new`);
  try {
    await writeNewFile(files, temporary, contents);
    await files.rename(temporary, path);
    await syncFolder(files, folder);
  } catch (error) {
    await removeQuietly(files, temporary);
    throw error;
  }
}

/** For files that are of no use to anybody: that they stay does no harm. */
export async function removeQuietly(files: StateFiles, path: string): Promise<void> {
  await files.unlink(path).catch(() => undefined);
}
