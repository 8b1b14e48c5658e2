import { access, open, rm } from 'node:fs/promises';
import { BlockedError, UsageError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';

/** Rejects with a UsageError where something has that name already. */
export async function requireNoFile(path: string): Promise<void> {
  const isThere = await access(path).then(
    () => true,
    () => false,
  );
  if (isThere) throw existsAlready(path);
}

/** A new file of mode 0600, on the disk when this resolves; nothing is ever overwritten. */
export async function writeNewFile(path: string, bytes: Buffer): Promise<void> {
  let isOurs = false;
  try {
    const file = await open(path, 'wx', 0o600);
    isOurs = true;
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    if (isOurs) await rm(path, { force: true });
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EEXIST') throw existsAlready(path);
    const message = `${path} cannot be written: ${error instanceof Error ? error.message : String(error)}`;
    if (code === 'ENOENT' || code === 'ENOTDIR') throw new UsageError(message, 'is there such a folder?');
    throw new BlockedError(exitCodes.couldNotLook, message, 'choose another place with --output', { cause: error });
  }
}

function existsAlready(path: string): UsageError {
  return new UsageError(`${path} exists already, and is not overwritten`, 'choose another name with --output');
}
