import { createReadStream } from 'node:fs';
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
  const parts: Buffer[] = [];
  let size = 0;
  try {
    // Nothing tells beforehand how much a pipe or a device holds; some never end.
    for await (const part of createReadStream(place, { highWaterMark: 1024 * 1024 })) {
      parts.push(part as Buffer);
      size += (part as Buffer).length;
      if (size > largestFile) break;
    }
  } catch (error) {
    throw new UsageError(`--from ${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (size > largestFile) {
    throw new UsageError(`--from ${path} has more than ${largestFile / 1024 / 1024} MB; no bundle is that large`);
  }
  return Buffer.concat(parts);
}
