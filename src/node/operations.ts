import type { NodeOperation } from './port.ts';
import { NODE_SCRIPT } from './script.ts';

export { encodeResults, parseResults } from './results.ts';

/**
 * Operations as the arguments of one command. The words after the script's name, one operation after the other:
 *
 *     read PATH · read-directory FOLDER SUFFIX · list-directory FOLDER PREFIX
 *     run SECONDS COUNT ARGUMENT{COUNT} · replace PATH TEMPORARY BYTES MODE UID GID · remove PATH
 *
 * MODE is octal, all other numbers are decimal. The contents of `replace` follow each other on standard input, since
 * they may be secret and arguments can be seen by every process of the node.
 */

const SCRIPT_NAME = 'rekindle-node';
const PREAMBLE = ['bash', '-c', NODE_SCRIPT, SCRIPT_NAME];

/** Throws a RangeError on what no argument can carry: NUL bytes, relative paths, a command without a name, … */
export function encodeOperations(operations: readonly NodeOperation[]): { argv: string[]; stdin: Buffer } {
  const contents = operations.flatMap((one) => (one.op === 'replace' ? [one.contents] : []));
  return { argv: [...PREAMBLE, ...operations.flatMap(encodeOperation)], stdin: Buffer.concat(contents) };
}

/**
 * The operations a command line carries, for whoever plays a node. Throws an Error where it is not one of ours, or
 * where standard input is shorter than what it announces.
 */
export function decodeOperations(argv: readonly string[], stdin: Uint8Array = Buffer.alloc(0)): NodeOperation[] {
  if (argv[0] !== 'bash' || argv[1] !== '-c' || argv[3] !== SCRIPT_NAME) {
    throw new Error('this command line carries no node operations');
  }
  const words = createCursor(argv.slice(PREAMBLE.length));
  const input = { bytes: stdin, position: 0 };
  const operations: NodeOperation[] = [];
  while (words.more()) {
    operations.push(decodeOperation(words, input));
  }
  return operations;
}

function encodeOperation(operation: NodeOperation): string[] {
  switch (operation.op) {
    case 'read':
    case 'remove':
      return [operation.op, encodePath(operation.path)];
    case 'read-directory':
      return [operation.op, encodePath(operation.directory), encodeNamePart(operation.suffix)];
    case 'list-directory':
      return [operation.op, encodePath(operation.directory), encodeNamePart(operation.prefix)];
    case 'run':
      return [operation.op, encodeSeconds(operation.timeoutSeconds), ...encodeCommand(operation.argv)];
    case 'replace':
      return [operation.op, ...encodeReplacement(operation)];
    default:
      return operation satisfies never;
  }
}

function encodeReplacement(operation: Extract<NodeOperation, { op: 'replace' }>): string[] {
  return [
    encodePath(operation.path),
    encodePath(operation.temporary),
    String(operation.contents.byteLength),
    (operation.mode & 0o7777).toString(8),
    encodeNumber(operation.uid),
    encodeNumber(operation.gid),
  ];
}

function encodeCommand(argv: readonly string[]): string[] {
  if (!argv[0]) {
    throw new RangeError('a command needs a name');
  }
  return [String(argv.length), ...argv.map(encodeWord)];
}

function encodePath(path: string): string {
  if (!path.startsWith('/')) {
    throw new RangeError(`a node's paths are absolute: ${JSON.stringify(path)}`);
  }
  return encodeWord(path);
}

/** Part of a name, not of a path: what lies deeper than the folder is not asked for. */
function encodeNamePart(part: string): string {
  if (part.includes('/')) {
    throw new RangeError(`part of a file's name cannot hold a slash: ${JSON.stringify(part)}`);
  }
  return encodeWord(part);
}

function encodeWord(word: string): string {
  if (word.includes('\0')) {
    throw new RangeError('an argument cannot hold a NUL byte');
  }
  return word;
}

/** Whole seconds, at least one: bash counts in integers, and `timeout 0` would mean no limit at all. */
function encodeSeconds(seconds: number): string {
  return encodeNumber(Math.max(1, Math.ceil(seconds)));
}

function encodeNumber(value: number): string {
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new RangeError(`${value} is no whole number from zero up`);
  }
  return String(value);
}

interface Cursor {
  more(): boolean;
  next(): string;
}

function createCursor(words: readonly string[]): Cursor {
  let position = 0;
  return {
    more: () => position < words.length,
    next() {
      const word = words[position];
      if (word === undefined) {
        throw new Error('the command line ends inside an operation');
      }
      position += 1;
      return word;
    },
  };
}

function decodeOperation(words: Cursor, input: { bytes: Uint8Array; position: number }): NodeOperation {
  const op = words.next();
  switch (op) {
    case 'read':
    case 'remove':
      return { op, path: words.next() };
    case 'read-directory':
      return { op, directory: words.next(), suffix: words.next() };
    case 'list-directory':
      return { op, directory: words.next(), prefix: words.next() };
    case 'run': {
      const timeoutSeconds = Number(words.next());
      const count = Number(words.next());
      return { op, timeoutSeconds, argv: Array.from({ length: count }, () => words.next()) };
    }
    case 'replace': {
      const [path, temporary] = [words.next(), words.next()];
      const contents = takeBytes(input, Number(words.next()));
      const mode = Number.parseInt(words.next(), 8);
      return { op, path, temporary, contents, mode, uid: Number(words.next()), gid: Number(words.next()) };
    }
    default:
      throw new Error(`unknown operation ${JSON.stringify(op)}`);
  }
}

function takeBytes(input: { bytes: Uint8Array; position: number }, length: number): Buffer {
  const taken = Buffer.from(input.bytes.subarray(input.position, input.position + length));
  if (taken.length !== length) {
    throw new Error('standard input is shorter than the contents it should carry');
  }
  input.position += length;
  return taken;
}
