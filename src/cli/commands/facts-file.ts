import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { BundleError, largestFile, readRecording } from '../../bundle/read.ts';
import type { Facts } from '../../facts/facts.ts';
import { UsageError } from '../errors.ts';

/** Recorded facts, alone or in a bundle; rejects with a UsageError that names the file and the places that do not fit. */
export async function readFactsFile(path: string, workingDirectory: string): Promise<Facts> {
  const bytes = await readBytes(path, resolve(workingDirectory, path));
  try {
    return await readRecording(bytes);
  } catch (error) {
    if (!(error instanceof BundleError)) throw error;
    throw new UsageError(
      `--from ${path} ${error.message}`,
      'it takes a file of `rekindle bundle`, or facts as docs/schema/facts.json describes them',
    );
  }
}

async function readBytes(path: string, place: string): Promise<Buffer> {
  let size: number;
  try {
    const found = await stat(place);
    // A pipe or a folder has no size to be judged by; a folder fails when it is read.
    size = found.isFile() ? found.size : 0;
    if (size <= largestFile) return await readFile(place);
  } catch (error) {
    throw new UsageError(`--from ${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  throw new UsageError(`--from ${path} has ${Math.round(size / 1024 / 1024)} MB; no bundle is that large`);
}
