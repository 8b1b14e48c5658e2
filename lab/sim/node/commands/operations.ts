import type { NodeFile, NodeOperation, NodeOperationResult } from '../../../../src/node/port.ts';
import { decodeOperations, encodeResults } from '../../../../src/node/operations.ts';
import { READ_LIMIT_BYTES } from '../../../../src/node/script.ts';
import type { FileSystem } from '../../files.ts';
import { type CommandCall, limitTime } from './command.ts';
import { fileSystemOf, isMountedFile, nameOf, parentOf } from './paths.ts';

/** The product's own program: bash that interprets operations. Here they are carried out as the data they are. */
export async function performOperations(argv: readonly string[], call: CommandCall): Promise<number> {
  const stdin = argv.includes('replace') ? await call.readStdin() : Buffer.alloc(0);
  const results: NodeOperationResult[] = [];
  for (const operation of decodeOperations(argv, stdin)) results.push(await perform(operation, call));
  call.print(encodeResults(results));
  return 0;
}

function perform(operation: NodeOperation, call: CommandCall): NodeOperationResult | Promise<NodeOperationResult> {
  const { files } = call.node;
  switch (operation.op) {
    case 'read': {
      const found = readFile(files, operation.path);
      return 'why' in found ? { op: 'read', ok: false, ...found } : { op: 'read', ok: true, file: found };
    }
    case 'read-directory':
      return readDirectory(files, operation.directory, operation.suffix);
    case 'list-directory':
      return listDirectory(files, operation.directory, operation.prefix);
    case 'run':
      return runOperation(operation, call);
    case 'replace':
      return replaceFile(files, operation);
    case 'remove':
      return removeFile(files, operation.path);
    default:
      return operation satisfies never;
  }
}

type Refusal = { readonly why: 'missing' | 'failed'; readonly reason: string };

function readFile(files: FileSystem, path: string): NodeFile | Refusal {
  const entry = files.stat(path);
  if (entry === undefined) return { why: 'missing', reason: `${path} does not exist` };
  if (entry.type !== 'file') return { why: 'failed', reason: `${path} is not a regular file` };
  const { mode, uid, gid, contents } = entry;
  if (contents.length > READ_LIMIT_BYTES)
    return {
      why: 'failed',
      reason: `${path} has ${contents.length} bytes, more than the ${READ_LIMIT_BYTES} that are read`,
    };
  return { path, mode, uid, gid, contents };
}

function readDirectory(files: FileSystem, directory: string, suffix: string): NodeOperationResult {
  const op = 'read-directory';
  const names = files.list(directory);
  if (names === undefined) return { op, ok: false, why: 'missing', reason: `${directory} is not a folder that exists` };
  const found: NodeFile[] = [];
  for (const name of names.filter((each) => each.endsWith(suffix))) {
    const path = `${directory.replace(/\/$/, '')}/${name}`;
    if (files.stat(path)?.type !== 'file') continue;
    const file = readFile(files, path);
    if ('why' in file) return { op, ok: false, ...file };
    found.push(file);
  }
  return { op, ok: true, files: found };
}

/** What `stat` tells as the size of a folder on the file systems that nodes have. */
const folderSize = 4096;

function listDirectory(files: FileSystem, directory: string, prefix: string): NodeOperationResult {
  const op = 'list-directory';
  const names = files.list(directory);
  if (names === undefined) return { op, ok: false, why: 'missing', reason: `${directory} is not a folder that exists` };
  const entries = names
    .filter((name) => name.startsWith(prefix))
    .map((name) => {
      const entry = files.stat(`${directory.replace(/\/$/, '')}/${name}`, { follow: false });
      return { name, size: entry?.type === 'directory' ? folderSize : (entry?.contents.length ?? 0) };
    });
  return { op, ok: true, entries };
}

async function runOperation(
  operation: Extract<NodeOperation, { op: 'run' }>,
  call: CommandCall,
): Promise<NodeOperationResult> {
  const { argv, timeoutSeconds } = operation;
  const name = argv[0] ?? '';
  if (!call.hasProgram(name))
    return { op: 'run', ok: false, why: 'failed', reason: `there is no command ${name} in the node` };
  const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
  const exitCode = await limitTime(call.node, timeoutSeconds * 1000, call.signal, (signal) =>
    call.run(argv, {
      readStdin: () => Promise.resolve(Buffer.alloc(0)),
      print: (output) => void stdout.push(Buffer.from(output as Uint8Array)),
      complain: (output) => void stderr.push(Buffer.from(output as Uint8Array)),
      signal,
    }),
  );
  return {
    op: 'run',
    ok: true,
    exitCode: exitCode ?? 124,
    stdout: Buffer.concat(stdout),
    stderr: Buffer.concat(stderr),
  };
}

function replaceFile(
  files: FileSystem,
  { path, temporary, contents, mode, uid, gid }: Extract<NodeOperation, { op: 'replace' }>,
): NodeOperationResult {
  const op = 'replace';
  const fail = (reason: string) => ({ op, ok: false, why: 'failed', reason }) as const;
  const [folder, scratch] = [`${parentOf(path)}/`, `${parentOf(temporary)}/`];
  if (files.list(folder) === undefined)
    return { op, ok: false, why: 'missing', reason: `${folder} is not a folder that exists` };
  if (files.list(scratch) === undefined) return fail(`stat: cannot statx '${scratch}': No such file or directory`);
  if (fileSystemOf(path) !== fileSystemOf(temporary))
    return fail(`${temporary} is on another file system than ${path}`);
  files.write(temporary, contents, { mode, uid, gid });
  const refusal = refuseRename(files, temporary, path);
  if (refusal !== undefined) {
    files.remove(temporary);
    return fail(refusal);
  }
  files.rename(temporary, path);
  return { op, ok: true };
}

function refuseRename(files: FileSystem, from: string, to: string): string | undefined {
  if (files.stat(to, { follow: false })?.type === 'directory')
    return `mv: cannot overwrite directory '${to}' with non-directory`;
  return isMountedFile(to) ? `mv: cannot move '${from}' to '${to}': Device or resource busy` : undefined;
}

function removeFile(files: FileSystem, path: string): NodeOperationResult {
  const op = 'remove';
  const entry = files.stat(path, { follow: false });
  const refusal =
    entry?.type === 'directory' ? 'Is a directory' : isMountedFile(path) ? 'Device or resource busy' : undefined;
  if (entry !== undefined && refusal !== undefined)
    return { op, ok: false, why: 'failed', reason: `rm: cannot remove '${path}': ${refusal}` };
  files.remove(path);
  return { op, ok: true };
}

/** Whether a command line is the product's program, by the name that the script is given. */
export function carriesOperations(argv: readonly string[]): boolean {
  return nameOf(argv[0] ?? '') === 'bash' && argv[1] === '-c' && argv[3] === 'rekindle-node';
}
