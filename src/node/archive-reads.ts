import { posix } from 'node:path';
import { withDeadline } from '../docker/deadline.ts';
import type { ArchiveFile, Engine } from '../docker/port.ts';
import { EngineError } from '../docker/port.ts';
import type { NodeFile, NodeOperation, NodeOperationResult } from './port.ts';
import { READ_LIMIT_BYTES } from './script.ts';

/** Symbolic links followed before a chain is called endless; the kernel's own limit is 40. */
const LINK_LIMIT = 40;

type Lookup = {
  readonly ok: true;
  readonly root: ArchiveFile;
  readonly all: readonly ArchiveFile[];
  readonly at: string;
};
type Refusal = { readonly ok: false; readonly why: 'missing' | 'failed'; readonly reason: string };

/**
 * Answers the reads of a stopped node from its container's archive; the rest fails with `stopped`. Rejects with an
 * EngineError where the engine or the container cannot be reached. One call after the other: Docker takes a lock on
 * the container for each, so side by side would be no faster.
 */
export async function readStoppedNode(
  engine: Engine,
  container: string,
  operations: readonly NodeOperation[],
  options: { readonly timeoutMs: number; readonly signal?: AbortSignal },
): Promise<NodeOperationResult[]> {
  const context = { call: `read the files of stopped container "${container}"`, endpoint: engine.endpoint };
  return withDeadline({ context, ...options }, async ({ signal }) => {
    const results: NodeOperationResult[] = [];
    for (const operation of operations) {
      if (signal.aborted) {
        break;
      }
      results.push(await readOperation(engine, container, operation));
    }
    return results;
  });
}

async function readOperation(
  engine: Engine,
  container: string,
  operation: NodeOperation,
): Promise<NodeOperationResult> {
  switch (operation.op) {
    case 'read': {
      const file = await readFile(engine, container, operation.path);
      return file.ok ? { op: 'read', ok: true, file: file.file } : { op: 'read', ...file };
    }
    case 'read-directory':
      return readDirectory(engine, container, operation.directory, operation.suffix);
    case 'list-directory':
      return listDirectory(engine, container, operation.directory, operation.prefix);
    case 'run':
    case 'replace':
    case 'remove':
      return { op: operation.op, ok: false, why: 'stopped', reason: `container "${container}" does not run` };
  }
}

async function readDirectory(
  engine: Engine,
  container: string,
  directory: string,
  suffix: string,
): Promise<NodeOperationResult> {
  const op = 'read-directory';
  const found = await lookUpDirectory(engine, container, directory);
  if (!found.ok) {
    return { op, ...found };
  }
  const files: NodeFile[] = [];
  for (const [name, entry] of listChildren(found)) {
    if (!name.endsWith(suffix)) {
      continue;
    }
    const path = posix.join(directory, name);
    const outcome =
      entry.type === 'symlink'
        ? await readFile(engine, container, posix.join(found.at, name))
        : describeFile(path, entry);
    if (outcome.ok) {
      files.push({ ...outcome.file, path });
    } else if (entry.type === 'file') {
      return { op, ...outcome };
    }
  }
  return { op, ok: true, files };
}

async function listDirectory(
  engine: Engine,
  container: string,
  directory: string,
  prefix: string,
): Promise<NodeOperationResult> {
  const op = 'list-directory';
  const found = await lookUpDirectory(engine, container, directory);
  if (!found.ok) {
    return { op, ...found };
  }
  const entries = listChildren(found)
    .filter(([name]) => name.startsWith(prefix))
    .map(([name, entry]) => ({ name, size: entry.contents.length }));
  return { op, ok: true, entries };
}

async function readFile(
  engine: Engine,
  container: string,
  path: string,
): Promise<{ readonly ok: true; readonly file: NodeFile } | Refusal> {
  const found = await lookUp(engine, container, path);
  return found.ok ? describeFile(path, found.root) : found;
}

function describeFile(path: string, entry: ArchiveFile): { readonly ok: true; readonly file: NodeFile } | Refusal {
  if (entry.type !== 'file') {
    return { ok: false, why: 'failed', reason: `${path} is not a regular file` };
  }
  if (entry.contents.length > READ_LIMIT_BYTES) {
    const reason = `${path} has ${entry.contents.length} bytes, more than the ${READ_LIMIT_BYTES} that are read`;
    return { ok: false, why: 'failed', reason };
  }
  const { mode, uid, gid, contents } = entry;
  return { ok: true, file: { path, mode, uid, gid, contents } };
}

async function lookUpDirectory(engine: Engine, container: string, directory: string): Promise<Lookup | Refusal> {
  const found = await lookUp(engine, container, directory);
  return found.ok && found.root.type !== 'directory'
    ? { ok: false, why: 'missing', reason: `${directory} is not a folder that exists` }
    : found;
}

/** The archive of a path, symbolic links at its end followed as an open would do; Docker follows those on the way. */
async function lookUp(engine: Engine, container: string, path: string): Promise<Lookup | Refusal> {
  let at = posix.normalize(path).replace(/(?<=.)\/$/, '');
  for (let links = 0; links <= LINK_LIMIT; links += 1) {
    const all = await fetchArchive(engine, container, at);
    if (!Array.isArray(all)) {
      return all;
    }
    const [root] = all;
    if (!root) {
      return { ok: false, why: 'missing', reason: `${path} does not exist` };
    }
    if (root.type !== 'symlink') {
      return { ok: true, root, all, at };
    }
    at = posix.resolve(posix.dirname(at), root.contents.toString('utf8'));
  }
  return { ok: false, why: 'failed', reason: `${path} is a chain of symbolic links without an end` };
}

async function fetchArchive(engine: Engine, container: string, path: string): Promise<ArchiveFile[] | Refusal> {
  try {
    return await engine.getArchive(container, path);
  } catch (error) {
    const refusal = error instanceof EngineError ? describeRefusal(error, path) : undefined;
    if (refusal) {
      return refusal;
    }
    throw error;
  }
}

function describeRefusal(error: EngineError, path: string): Refusal | undefined {
  if (error.kind === 'not-found') {
    // Docker answers 404 for the file and for the container alike.
    return /no such container/i.test(error.message)
      ? undefined
      : { ok: false, why: 'missing', reason: `${path} does not exist` };
  }
  if (error.kind === 'failed' || error.kind === 'conflict') {
    // A file where the path wants a folder.
    return error.message.endsWith('not a directory')
      ? { ok: false, why: 'missing', reason: `${path} does not exist` }
      : { ok: false, why: 'failed', reason: error.message };
  }
  return undefined;
}

/** What lies directly inside the folder, by name, in the order of bytes as in a running node. */
function listChildren(found: Lookup): [string, ArchiveFile][] {
  // The archive of "/" has no folder's name in front of its entries.
  const start = found.at === '/' ? '' : `${found.root.path}/`;
  return found.all
    .filter((entry) => entry !== found.root && entry.path.startsWith(start))
    .map((entry): [string, ArchiveFile] => [entry.path.slice(start.length), entry])
    .filter(([name]) => name !== '' && !name.includes('/'))
    .toSorted(([one], [other]) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
}
