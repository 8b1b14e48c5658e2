import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { encodeOperations, parseResults } from './operations.ts';
import type { NodeOperation, NodeOperationResult } from './port.ts';
import { READ_LIMIT_BYTES } from './script.ts';

// The real program, run by the bash of this machine.

const uid = process.getuid?.() ?? 0;
const gid = process.getgid?.() ?? 0;
// Processes are slow to start where the machine has much else to do.
vi.setConfig({ testTimeout: 60_000 });

let base = '';
let folder = '';
let counter = 0;

beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'rekindle-script-'));
});
beforeEach(() => {
  counter += 1;
  folder = join(base, `case ${counter}`);
  mkdirSync(folder);
});
afterAll(() => rmSync(base, { recursive: true }));

function perform(
  operations: readonly NodeOperation[],
  options: { readonly stdin?: Buffer; readonly prefix?: readonly string[] } = {},
): NodeOperationResult[] {
  const { argv, stdin } = encodeOperations(operations);
  const [command = '', ...rest] = [...(options.prefix ?? []), ...argv];
  const child = spawnSync(command, rest, { input: options.stdin ?? stdin, maxBuffer: 64 * 1024 * 1024 });
  expect([child.status, child.stderr.toString()]).toEqual([0, '']);
  return parseResults(operations, child.stdout);
}

function performOne(operation: NodeOperation): NodeOperationResult {
  const [result] = perform([operation]);
  if (!result) {
    throw new Error('no result');
  }
  return result;
}

function put(name: string, contents: string | Buffer, mode = 0o644): string {
  const path = join(folder, name);
  writeFileSync(path, contents);
  chmodSync(path, mode);
  return path;
}

function fileAt(path: string, contents: string | Buffer, mode = 0o644) {
  return { path, mode, uid, gid, contents: Buffer.from(contents) };
}

function replaceAt(path: string, contents: string | Buffer, more: object = {}): NodeOperation {
  const temporary = join(folder, '.temporary');
  return { op: 'replace', path, temporary, contents: Buffer.from(contents), mode: 0o600, uid, gid, ...more };
}

const HOSTILE_NAMES = [
  'a b',
  ' lead and trail ',
  'new\nline',
  'end\n',
  '-n',
  '--help',
  'quo\'te"s',
  '$(touch gone) `id` ${HOME}',
  '*?[a]',
  'back\\slash\\n%s',
  '.hidden',
  'ünï€😀',
];

describe('read', () => {
  it.each(HOSTILE_NAMES)('takes the name %j', (name) => {
    const path = put(name, `in ${name}`, 0o640);
    expect(performOne({ op: 'read', path })).toEqual({ op: 'read', ok: true, file: fileAt(path, `in ${name}`, 0o640) });
  });

  it('gives any bytes back, several files in one go', () => {
    const byte = fc.oneof(fc.constantFrom(0, 1, 10, 13, 127, 255), fc.nat(255));
    const contents = fc.array(fc.array(byte, { maxLength: 60 }), { minLength: 20, maxLength: 40 });
    fc.assert(
      fc.property(contents, (list) => {
        const files = list.map((bytes, index) => put(`f${index}`, Buffer.from(bytes)));
        const results = perform(files.map((path) => ({ op: 'read', path })));
        expect(results).toEqual(
          files.map((path, index) => ({ op: 'read', ok: true, file: fileAt(path, Buffer.from(list[index] ?? [])) })),
        );
      }),
      { numRuns: 10 },
    );
  });

  it.each([
    ['many NULs', Buffer.alloc(5000)],
    ['more than is read in one piece', Buffer.alloc(300_000, 'line\n')],
    ['exactly the limit', Buffer.alloc(READ_LIMIT_BYTES, 'x\0')],
  ])('reads a file of %s', (_, contents) => {
    const result = performOne({ op: 'read', path: put('big', contents) });
    expect(result.ok && result.op === 'read' && result.file.contents.equals(contents)).toBe(true);
  });

  it('refuses a file over the limit', () => {
    const path = put('big', Buffer.alloc(READ_LIMIT_BYTES + 1));
    expect(performOne({ op: 'read', path })).toMatchObject({
      ok: false,
      why: 'failed',
      reason: expect.stringContaining(`${READ_LIMIT_BYTES + 1} bytes`),
    });
  });

  it('reads files of the kernel, which tell no size', () => {
    const path = '/proc/sys/kernel/ostype';
    const result = performOne({ op: 'read', path });
    expect(result).toMatchObject({ ok: true, file: { contents: readFileSync(path) } });
  });

  it('follows links, and tells what is missing from what is no file', () => {
    const path = put('target', 'x');
    symlinkSync('target', join(folder, 'link'));
    symlinkSync('nowhere', join(folder, 'dangling'));
    const names = ['link', 'dangling', 'absent', 'target', 'target/below', '', 'target'];
    const results = perform(names.map((name) => ({ op: 'read', path: join(folder, name) })));
    expect(results).toMatchObject([
      { ok: true, file: fileAt(join(folder, 'link'), 'x') },
      { ok: false, why: 'missing' },
      { ok: false, why: 'missing' },
      { ok: true, file: { path } },
      { ok: false, why: 'missing' },
      { ok: false, why: 'failed', reason: expect.stringContaining('not a regular file') },
      { ok: true, file: { path } },
    ]);
  });
});

describe('folders', () => {
  it('are read by suffix, hidden files and links included, folders left out', () => {
    for (const name of [...HOSTILE_NAMES, 'kube.pem', '.dot.pem', 'new\nline.pem', 'pem']) {
      put(name, name);
    }
    mkdirSync(join(folder, 'sub.pem'));
    symlinkSync('kube.pem', join(folder, 'link.pem'));
    symlinkSync('nowhere', join(folder, 'gone.pem'));
    const result = performOne({ op: 'read-directory', directory: folder, suffix: '.pem' });
    const names = ['.dot.pem', 'kube.pem', 'link.pem', 'new\nline.pem'];
    const files = names.map((name) => fileAt(join(folder, name), name === 'link.pem' ? 'kube.pem' : name));
    expect(result).toEqual({ op: 'read-directory', ok: true, files });
  });

  it('are read whole with the empty suffix, and suffixes are no patterns', () => {
    put('a*', '1');
    put('ab', '2');
    const read = (suffix: string) => {
      const result = performOne({ op: 'read-directory', directory: `${folder}/`, suffix });
      return result.ok && result.op === 'read-directory' ? result.files.map((one) => one.contents.toString()) : result;
    };
    expect([read(''), read('*'), read('z')]).toEqual([['1', '2'], ['1'], []]);
  });

  it('fail where one file in them cannot be read', () => {
    put('a', 'fine');
    put('b', Buffer.alloc(READ_LIMIT_BYTES + 1));
    put('c', 'fine');
    const [directory, after] = perform([
      { op: 'read-directory', directory: folder, suffix: '' },
      { op: 'read', path: join(folder, 'c') },
    ]);
    expect(directory).toMatchObject({ ok: false, why: 'failed', reason: expect.stringContaining('/b has') });
    expect(after).toMatchObject({ ok: true });
  });

  it('are listed by prefix', () => {
    for (const name of HOSTILE_NAMES) {
      put(name, name);
    }
    symlinkSync('nowhere', join(folder, '.gone'));
    const list = (prefix: string) => {
      const result = performOne({ op: 'list-directory', directory: folder, prefix });
      return result.ok && result.op === 'list-directory' ? result.entries : result;
    };
    const all = [...HOSTILE_NAMES.map((name) => ({ name, size: Buffer.byteLength(name) })), { name: '.gone', size: 7 }];
    expect(list('')).toEqual(expect.arrayContaining(all));
    expect(list('')).toHaveLength(all.length);
    expect(list('.')).toEqual([
      { name: '.gone', size: 7 },
      { name: '.hidden', size: 7 },
    ]);
    expect(list('nothing')).toEqual([]);
  });

  it('are missing where they are not folders', () => {
    const path = put('file', '');
    expect(
      perform([
        { op: 'read-directory', directory: join(folder, 'absent'), suffix: '' },
        { op: 'list-directory', directory: path, prefix: '' },
      ]),
    ).toMatchObject([
      { ok: false, why: 'missing' },
      { ok: false, why: 'missing' },
    ]);
  });
});

function run(...argv: string[]): NodeOperation {
  return { op: 'run', argv, timeoutSeconds: 30 };
}

function ran(exitCode: number, stdout: string | Buffer, stderr: string | Buffer = '') {
  return { op: 'run', ok: true, exitCode, stdout: Buffer.from(stdout), stderr: Buffer.from(stderr) };
}

describe('run', () => {
  it('hands arguments over untouched', () => {
    const results = perform(HOSTILE_NAMES.map((name) => run('printf', '[%s]', name, '')));
    expect(results).toEqual(HOSTILE_NAMES.map((name) => ran(0, `[${name}][]`)));
    expect(readdirSync(folder)).toEqual([]);
  });

  it('keeps streams and exit codes apart, one command after the other', () => {
    expect(
      perform([
        run('sh', '-c', 'echo out; echo err >&2; exit 3'),
        run('true'),
        run('sh', '-c', 'printf "a\\0b\\0"; printf "\\0\\n" >&2; kill -9 $$'),
        run('sh', '-c', 'echo short'),
        run('env', '-i', 'sh', '-c', 'exit 124'),
      ]),
    ).toEqual([ran(3, 'out\n', 'err\n'), ran(0, ''), ran(137, 'a\0b\0', '\0\n'), ran(0, 'short\n'), ran(124, '')]);
  });

  it('gives large and binary output back whole', () => {
    const path = put('big', Buffer.from(Array.from({ length: 700_000 }, (_, index) => (index * 7919) % 256)));
    const [whole, zeros] = perform([run('cat', path), run('head', '-c', '20000', '/dev/zero')]);
    expect(whole?.ok && whole.op === 'run' && whole.stdout.equals(readFileSync(path))).toBe(true);
    expect(zeros).toEqual(ran(0, Buffer.alloc(20_000)));
  });

  it('gives commands no input and none of its own files', () => {
    const listDescriptors = 'for fd in 3 4 5 6 7 8 9; do [ ! -e /proc/$$/fd/$fd ] || echo $fd; done';
    const operations = [run('cat'), replaceAt(join(folder, 'after'), 'kept in step'), run('sh', '-c', listDescriptors)];
    expect(perform(operations)).toEqual([ran(0, ''), { op: 'replace', ok: true }, ran(0, '')]);
    expect(readFileSync(join(folder, 'after'), 'utf8')).toBe('kept in step');
  });

  it('does not wait for what a command leaves behind', () => {
    const [left, next] = perform([run('sh', '-c', 'sleep 60 & echo $!'), run('echo', 'next')]);
    expect(next).toEqual(ran(0, 'next\n'));
    const child = Number(left?.ok && left.op === 'run' && left.stdout.toString());
    process.kill(child);
  });

  it('ends a command that takes too long, also one that does not want to', () => {
    const stubborn = "trap '' TERM; echo started; while :; do sleep 0.1; done";
    expect(perform([{ op: 'run', argv: ['bash', '-c', stubborn], timeoutSeconds: 1 }, run('echo', 'next')])).toEqual([
      ran(124, 'started\n'),
      ran(0, 'next\n'),
    ]);
  });

  it('says where there is no such command', () => {
    expect(perform([run('no-such-command', '-x'), run('/etc/passwd'), run('echo', 'next')])).toEqual([
      { op: 'run', ok: false, why: 'failed', reason: 'there is no command no-such-command in the node' },
      { op: 'run', ok: false, why: 'failed', reason: 'there is no command /etc/passwd in the node' },
      ran(0, 'next\n'),
    ]);
  });
});

describe('replace', () => {
  it('renames new bytes over the file, with the mode asked for', () => {
    const path = put('kubelet.conf', 'old', 0o644);
    const before = statSync(path).ino;
    const results = perform([replaceAt(path, Buffer.from('n\0w\n'), { mode: 0o6751 }), { op: 'read', path }]);
    expect(results).toEqual([
      { op: 'replace', ok: true },
      { op: 'read', ok: true, file: fileAt(path, 'n\0w\n', 0o6751) },
    ]);
    expect(statSync(path).ino).not.toBe(before);
    expect(readdirSync(folder)).toEqual(['kubelet.conf']);
  });

  it.runIf(uid === 0)('gives the file its owner', () => {
    const path = put('owned', 'old');
    chownSync(path, 11, 12);
    expect(performOne(replaceAt(path, 'new', { uid: 13, gid: 14 }))).toEqual({ op: 'replace', ok: true });
    const { uid: owner, gid: group } = statSync(path);
    expect([owner, group]).toEqual([13, 14]);
  });

  it('writes many files of one batch, hostile names and empty files among them', () => {
    const names = [...HOSTILE_NAMES, 'empty'];
    const contents = (name: string) => (name === 'empty' ? '' : name.repeat(5000));
    const results = perform(names.map((name) => replaceAt(join(folder, name), contents(name))));
    expect(results).toEqual(names.map(() => ({ op: 'replace', ok: true })));
    expect(names.map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual(names.map(contents));
  });

  it('does not write through what a crash left at the temporary name', () => {
    const victim = put('victim', 'untouched');
    symlinkSync(victim, join(folder, '.temporary'));
    expect(performOne(replaceAt(join(folder, 'new'), 'x'))).toEqual({ op: 'replace', ok: true });
    expect(readFileSync(victim, 'utf8')).toBe('untouched');
    expect(lstatSync(join(folder, 'new')).isSymbolicLink()).toBe(false);
  });

  const failures: [string, () => object, string][] = [
    ['a folder that is missing', () => ({ path: '/nonexistent/file' }), 'missing'],
    ['a missing folder for the temporary', () => ({ temporary: join(folder, 'absent', 't') }), 'failed'],
    ['a folder that takes no files', () => ({ temporary: '/proc/rekindle' }), 'failed'],
    ['another file system', () => ({ temporary: '/dev/shm/rekindle-test' }), 'failed'],
    ['a folder in the place of the file', () => ({ path: join(folder, 'sub') }), 'failed'],
    ['a folder in the place of the temporary', () => ({ temporary: join(folder, 'sub') }), 'failed'],
  ];

  it.each(failures)('fails on %s, leaves nothing behind and stays in step', (_, change, why) => {
    const path = put('file', 'old');
    mkdirSync(join(folder, 'sub'));
    const bad = replaceAt(path, Buffer.alloc(300_000, 'bad'), change());
    const results = perform([bad, replaceAt(join(folder, 'good'), 'good'), { op: 'read', path }]);
    expect(results).toMatchObject([
      { op: 'replace', ok: false, why, reason: expect.stringMatching(/./) },
      { op: 'replace', ok: true },
      { op: 'read', ok: true, file: { contents: Buffer.from('old') } },
    ]);
    expect(readFileSync(join(folder, 'good'), 'utf8')).toBe('good');
    expect(readdirSync(folder).sort()).toEqual(['file', 'good', 'sub']);
    expect(readdirSync('/dev/shm')).not.toContain('rekindle-test');
  });

  it('fails where the input ends too early', () => {
    const path = put('file', 'old');
    const [result] = perform([replaceAt(path, 'half a file that never came')], { stdin: Buffer.from('half') });
    expect(result).toMatchObject({ ok: false, why: 'failed', reason: 'only 4 of 27 bytes arrived' });
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(readdirSync(folder)).toEqual(['file']);
  });

  it('stays in step where a write fails half way, as on a full disk', () => {
    const path = put('file', 'old');
    const operations = [replaceAt(path, Buffer.alloc(500_000, 'x')), replaceAt(join(folder, 'good'), 'good')];
    // No file may grow beyond 64 KiB here.
    const results = perform(operations, { prefix: ['bash', '-c', 'ulimit -f 64; exec "$@"', 'limited'] });
    expect(results).toMatchObject([
      { ok: false, why: 'failed' },
      { op: 'replace', ok: true },
    ]);
    expect([path, join(folder, 'good')].map((one) => readFileSync(one, 'utf8'))).toEqual(['old', 'good']);
    expect(readdirSync(folder).sort()).toEqual(['file', 'good']);
  });
});

describe('remove', () => {
  it('removes files and links, and takes what is gone for removed', () => {
    const names = [...HOSTILE_NAMES, 'link', 'absent'];
    for (const name of HOSTILE_NAMES) {
      put(name, '');
    }
    symlinkSync('nowhere', join(folder, 'link'));
    expect(perform(names.map((name) => ({ op: 'remove', path: join(folder, name) })))).toEqual(
      names.map(() => ({ op: 'remove', ok: true })),
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  it('removes no folders', () => {
    mkdirSync(join(folder, 'sub'));
    expect(performOne({ op: 'remove', path: join(folder, 'sub') })).toMatchObject({
      ok: false,
      why: 'failed',
      reason: expect.stringContaining('directory'),
    });
    expect(readdirSync(folder)).toEqual(['sub']);
  });
});
