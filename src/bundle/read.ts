import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Extract } from 'tar-stream';
import { type Facts, facts } from '../facts/facts.ts';
import { bundleManifest } from './manifest.ts';

/** What was given is neither a bundle nor facts; the message tells the place, and goes on after the file's name. */
export class BundleError extends Error {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.name = 'BundleError';
  }
}

/** Bytes. A hundred nodes make some 20 MB unpacked. */
export const largestFile = 64 * 1024 * 1024;
export const largestUnpacked = 256 * 1024 * 1024;

/**
 * The facts in a bundle, or in a file that holds nothing else; either may be gzipped. All stays in memory: no name in
 * the archive becomes a path of this host. Rejects with a BundleError.
 */
export async function readRecording(bytes: Buffer, limit: number = largestUnpacked): Promise<Facts> {
  const plain = bytes[0] === 0x1f && bytes[1] === 0x8b ? await unzip(bytes, limit) : bytes;
  if (plain.subarray(257, 262).toString('latin1') !== 'ustar') return readFacts(plain, '');
  const files = await readTar(plain);
  const format = readFormat(parseJson(need(files, 'manifest.json'), 'manifest.json in it '));
  if (format !== bundleManifest.shape.format.value) {
    throw new BundleError(
      `is no bundle this version of rekindle knows: manifest.json in it has the format ${nameFormat(format)}`,
    );
  }
  return readFacts(need(files, 'facts.json'), 'facts.json in it ');
}

async function unzip(bytes: Buffer, limit: number): Promise<Buffer> {
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength: limit });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ERR_BUFFER_TOO_LARGE') {
      throw new BundleError(`is larger than ${Math.round(limit / 1024 / 1024)} MB unpacked; no bundle is`, {
        cause: error,
      });
    }
    const cut = code === 'Z_BUF_ERROR' ? ': it ends too early, as a copy does that was interrupted' : '';
    throw new BundleError(`is a damaged gzip file${cut || `: ${messageOf(error)}`}`, { cause: error });
  }
}

type Files = ReadonlyMap<string, Buffer>;

async function readTar(bytes: Buffer): Promise<Files> {
  const { default: tar } = await import('tar-stream');
  const unpack = tar.extract();
  try {
    const [files] = await Promise.all([collect(unpack), pipeline(Readable.from([bytes]), unpack)]);
    return files;
  } catch (error) {
    if (error instanceof BundleError) throw error;
    throw new BundleError(`is a damaged tar archive: ${messageOf(error)}`, { cause: error });
  }
}

/** The files by their name without the one folder that all lie in; only those are kept that somebody asks for. */
async function collect(unpack: Extract): Promise<Files> {
  const files = new Map<string, Buffer>();
  for await (const entry of unpack) {
    const name = /^(?:\.\/)?(?:[^/]+\/)?(manifest\.json|facts\.json)$/.exec(entry.header.name)?.[1];
    if (name === undefined || entry.header.type !== 'file') {
      entry.resume();
      continue;
    }
    if (files.has(name)) throw new BundleError(`holds ${name} twice`);
    files.set(name, await buffer(entry));
  }
  return files;
}

function need(files: Files, name: string): Buffer {
  const found = files.get(name);
  if (found === undefined) throw new BundleError(`is no bundle: there is no ${name} in it`);
  return found;
}

function readFacts(bytes: Buffer, place: string): Facts {
  const value = parseJson(bytes, place);
  const parsed = facts.safeParse(value);
  if (parsed.success) return parsed.data;
  const format = readFormat(value);
  if (format !== undefined && format !== facts.unwrap().shape.format.value) {
    throw new BundleError(
      `${place}holds no facts this version of rekindle knows: it has the format ${nameFormat(format)}`,
    );
  }
  const problems = parsed.error.issues.map((issue) => `${formatPath(issue.path)}: ${issue.message}`);
  const shown = problems.slice(0, 3).join('; ');
  const more = problems.length > 3 ? `; and ${problems.length - 3} more` : '';
  throw new BundleError(`${place === '' ? '' : `is damaged: ${place}`}holds no facts: ${shown}${more}`);
}

function readFormat(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'format' in value ? value.format : undefined;
}

function nameFormat(format: unknown): string {
  const name = JSON.stringify(format) ?? 'of nothing';
  return name.length > 60 ? `${name.slice(0, 60)}…` : name;
}

function parseJson(bytes: Buffer, place: string): unknown {
  try {
    // Without the mark that some editors put before everything.
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    throw new BundleError(`${place === '' ? '' : `is damaged: ${place}`}is not JSON: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** `containers.value[0].name` */
function formatPath(path: readonly PropertyKey[]): string {
  if (path.length === 0) return 'the file';
  return path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
