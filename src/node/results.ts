import type { NodeFile, NodeOperation, NodeOperationResult } from './port.ts';

/**
 * The script's answer. For each operation any number of items, then one last line; lengths count bytes, so that no
 * content can be taken for a line:
 *
 *     file MODE UID GID LENGTH \n PATH \n PAYLOAD        entry SIZE LENGTH \n NAME \n
 *     PAYLOAD, twice, for `run`: standard output, standard error
 *     ok · exit CODE · missing LENGTH \n REASON · failed LENGTH \n REASON
 *
 * where PAYLOAD is `raw LENGTH \n BYTES \n` or `base64 LENGTH \n BASE64 \n`.
 */

type Failure = Extract<NodeOperationResult, { ok: false }>;

/**
 * One result for each operation. Where the answer ends too early or cannot be understood, that operation and all after
 * it are `failed`: whether they were carried out is not known.
 */
export function parseResults(operations: readonly NodeOperation[], stdout: Buffer): NodeOperationResult[] {
  const reader = createReader(stdout);
  let broken: string | undefined;
  return operations.map((operation) => {
    if (broken === undefined) {
      try {
        return parseResult(operation, reader);
      } catch (error) {
        broken = `the node's answer cannot be understood: ${error instanceof Error ? error.message : String(error)}`;
      }
    }
    return { op: operation.op, ok: false, why: 'failed', reason: broken };
  });
}

/** The answer the script would have given; `stopped` has no place in it, for only running nodes answer. */
export function encodeResults(results: readonly NodeOperationResult[]): Buffer {
  return Buffer.concat(results.flatMap((result) => [...encodeItems(result), encodeLine(lastLine(result))]));
}

interface Reader {
  line(): string[];
  bytes(length: string | undefined): Buffer;
}

function createReader(answer: Buffer): Reader {
  let position = 0;
  return {
    line() {
      const end = answer.indexOf(10, position);
      if (end < 0) {
        throw new Error('it ends too early');
      }
      const words = answer.toString('latin1', position, end).split(' ');
      position = end + 1;
      return words;
    },
    bytes(length) {
      const end = position + parseCount(length);
      if (answer[end] !== 10) {
        throw new Error('it ends too early');
      }
      const taken = answer.subarray(position, end);
      position = end + 1;
      return taken;
    },
  };
}

function parseResult(operation: NodeOperation, reader: Reader): NodeOperationResult {
  const files: NodeFile[] = [];
  const entries: { name: string; size: number }[] = [];
  const streams: Buffer[] = [];
  for (;;) {
    const [word, ...rest] = reader.line();
    switch (word) {
      case 'file':
        files.push(parseFile(rest, reader));
        break;
      case 'entry':
        entries.push({ size: parseCount(rest[0]), name: reader.bytes(rest[1]).toString('utf8') });
        break;
      case 'raw':
      case 'base64':
        streams.push(parsePayload(word, rest[0], reader));
        break;
      case 'missing':
      case 'failed':
        return { op: operation.op, ok: false, why: word, reason: reader.bytes(rest[0]).toString('utf8') };
      case 'exit':
      case 'ok':
        return finishResult(operation, word === 'exit' ? parseCount(rest[0]) : undefined, { files, entries, streams });
      case undefined:
      default:
        throw new Error('it holds an unknown line');
    }
  }
}

function finishResult(
  operation: NodeOperation,
  exitCode: number | undefined,
  items: { files: NodeFile[]; entries: { name: string; size: number }[]; streams: Buffer[] },
): NodeOperationResult {
  const { op } = operation;
  switch (op) {
    case 'read': {
      const [file] = items.files;
      if (!file) {
        throw new Error('a file is missing in it');
      }
      return { op, ok: true, file };
    }
    case 'read-directory':
      return { op, ok: true, files: items.files };
    case 'list-directory':
      return { op, ok: true, entries: items.entries };
    case 'run': {
      const [stdout, stderr] = items.streams;
      if (exitCode === undefined || !stdout || !stderr) {
        throw new Error("a command's outcome is missing in it");
      }
      return { op, ok: true, exitCode, stdout, stderr };
    }
    case 'replace':
    case 'remove':
      return { op, ok: true };
    default:
      return op satisfies never;
  }
}

function parseFile([mode, uid, gid, length]: string[], reader: Reader): NodeFile {
  const path = reader.bytes(length).toString('utf8');
  const [form, size] = reader.line();
  return {
    path,
    mode: Number.parseInt(mode ?? '', 8),
    uid: parseCount(uid),
    gid: parseCount(gid),
    contents: parsePayload(form, size, reader),
  };
}

function parsePayload(form: string | undefined, length: string | undefined, reader: Reader): Buffer {
  const bytes = reader.bytes(length);
  switch (form) {
    case 'raw':
      return Buffer.from(bytes);
    case 'base64':
      return Buffer.from(bytes.toString('latin1'), 'base64');
    case undefined:
    default:
      throw new Error('it holds an unknown payload');
  }
}

function parseCount(word: string | undefined): number {
  if (word === undefined || !/^\d+$/.test(word)) {
    throw new Error('it holds an unknown number');
  }
  return Number(word);
}

function encodeItems(result: NodeOperationResult): Buffer[] {
  if (!result.ok) {
    return [];
  }
  switch (result.op) {
    case 'read':
      return encodeFile(result.file);
    case 'read-directory':
      return result.files.flatMap(encodeFile);
    case 'list-directory':
      return result.entries.flatMap(({ name, size }) => {
        const bytes = Buffer.from(name);
        return [encodeLine(`entry ${size} ${bytes.length}`), bytes, encodeLine('')];
      });
    case 'run':
      return [...encodePayload(result.stdout), ...encodePayload(result.stderr)];
    case 'replace':
    case 'remove':
      return [];
    default:
      return result satisfies never;
  }
}

function lastLine(result: NodeOperationResult): string {
  if (!result.ok) {
    return describeFailure(result);
  }
  return result.op === 'run' ? `exit ${result.exitCode}` : 'ok';
}

function describeFailure(failure: Failure): string {
  return `${failure.why === 'missing' ? 'missing' : 'failed'} ${Buffer.byteLength(failure.reason)}\n${failure.reason}`;
}

function encodeFile(file: NodeFile): Buffer[] {
  const path = Buffer.from(file.path);
  const line = `file ${file.mode.toString(8)} ${file.uid} ${file.gid} ${path.length}`;
  return [encodeLine(line), path, encodeLine(''), ...encodePayload(file.contents)];
}

function encodePayload(bytes: Buffer): Buffer[] {
  return [encodeLine(`raw ${bytes.length}`), bytes, encodeLine('')];
}

function encodeLine(text: string): Buffer {
  return Buffer.from(`${text}\n`);
}
