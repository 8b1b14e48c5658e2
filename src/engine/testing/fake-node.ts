import { createPublicKey } from 'node:crypto';
import type { NodeFile, NodeOperation, NodeOperationResult } from '../../node/port.ts';

export type FakeFile = Omit<NodeFile, 'path'>;

/** A node's file system, by path. Folders are where files are. */
export type FakeFiles = Map<string, FakeFile>;

export function textFile(text: string, mode = 0o600): FakeFile {
  return { contents: Buffer.from(text), mode, uid: 0, gid: 0 };
}

export function readText(files: FakeFiles, path: string): string | undefined {
  return files.get(path)?.contents.toString('utf8');
}

export interface CommandAnswer {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr?: string;
}

/** Answers a command; undefined where the node has none of that name. */
export type RunCommand = (argv: readonly string[]) => Promise<CommandAnswer | undefined>;

export async function performOperation(
  files: FakeFiles,
  operation: NodeOperation,
  run: RunCommand,
): Promise<NodeOperationResult> {
  const { op } = operation;
  const missing = (path: string) => ({ op, ok: false, why: 'missing', reason: `${path} does not exist` }) as const;
  switch (operation.op) {
    case 'read': {
      const file = files.get(operation.path);
      return file === undefined
        ? missing(operation.path)
        : { op: 'read', ok: true, file: { path: operation.path, ...file } };
    }
    case 'read-directory': {
      const found = childrenOf(files, operation.directory).filter(([path]) => path.endsWith(operation.suffix));
      return { op: 'read-directory', ok: true, files: found.map(([path, file]) => ({ path, ...file })) };
    }
    case 'list-directory': {
      const entries = childrenOf(files, operation.directory)
        .map(([path, { contents }]) => ({ name: path.slice(path.lastIndexOf('/') + 1), size: contents.length }))
        .filter(({ name }) => name.startsWith(operation.prefix));
      return { op: 'list-directory', ok: true, entries };
    }
    case 'run': {
      const answer = await run(operation.argv);
      if (answer === undefined)
        return { op, ok: false, why: 'failed', reason: `there is no command ${operation.argv[0] ?? ''} in the node` };
      const { exitCode, stdout, stderr = '' } = answer;
      return { op: 'run', ok: true, exitCode, stdout: Buffer.from(stdout), stderr: Buffer.from(stderr) };
    }
    case 'replace': {
      const { path, contents, mode, uid, gid } = operation;
      files.set(path, { contents: Buffer.from(contents), mode, uid, gid });
      return { op: 'replace', ok: true };
    }
    case 'remove':
      files.delete(operation.path);
      return { op: 'remove', ok: true };
  }
}

function childrenOf(files: FakeFiles, directory: string): [string, FakeFile][] {
  return [...files].filter(([path]) => path.slice(0, path.lastIndexOf('/')) === directory);
}

/** What `openssl pkey -pubout` prints. */
export function printPublicKey(privateKey: string | undefined, path: string): CommandAnswer {
  if (privateKey === undefined)
    return { exitCode: 1, stdout: '', stderr: `Could not open file for reading key from ${path}: No such file` };
  return { exitCode: 0, stdout: createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString() };
}
