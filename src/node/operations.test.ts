import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeOperations, encodeOperations, encodeResults, parseResults } from './operations.ts';
import type { NodeOperation, NodeOperationResult } from './port.ts';

const word = fc.string({ unit: 'binary', maxLength: 12 }).filter((one) => !one.includes('\0'));
const name = word.filter((one) => !one.includes('/'));
const path = word.map((one) => `/${one}`);
const bytes = fc.uint8Array({ maxLength: 40 }).map((one) => Buffer.from(one));
const id = fc.nat(70_000);
const mode = fc.nat(0o7777);

const operation: fc.Arbitrary<NodeOperation> = fc.oneof(
  fc.record({ op: fc.constant('read' as const), path }),
  fc.record({ op: fc.constant('read-directory' as const), directory: path, suffix: name }),
  fc.record({ op: fc.constant('list-directory' as const), directory: path, prefix: name }),
  fc.record({
    op: fc.constant('run' as const),
    argv: fc.tuple(word.filter(Boolean), fc.array(word, { maxLength: 4 })).map(([first, rest]) => [first, ...rest]),
    timeoutSeconds: fc.integer({ min: 1, max: 600 }),
  }),
  fc.record({ op: fc.constant('replace' as const), path, temporary: path, contents: bytes, mode, uid: id, gid: id }),
  fc.record({ op: fc.constant('remove' as const), path }),
);

const file = fc.record({ path, mode, uid: id, gid: id, contents: bytes });

const result: fc.Arbitrary<NodeOperationResult> = fc.oneof(
  fc.record({ op: fc.constant('read' as const), ok: fc.constant(true as const), file }),
  fc.record({
    op: fc.constant('read-directory' as const),
    ok: fc.constant(true as const),
    files: fc.array(file, { maxLength: 3 }),
  }),
  fc.record({
    op: fc.constant('list-directory' as const),
    ok: fc.constant(true as const),
    entries: fc.array(fc.record({ name, size: fc.nat() }), { maxLength: 3 }),
  }),
  fc.record({
    op: fc.constant('run' as const),
    ok: fc.constant(true as const),
    exitCode: fc.nat(255),
    stdout: bytes,
    stderr: bytes,
  }),
  fc.record({ op: fc.constantFrom('replace' as const, 'remove' as const), ok: fc.constant(true as const) }),
  fc.record({
    op: fc.constantFrom(...(['read', 'read-directory', 'list-directory', 'run', 'replace', 'remove'] as const)),
    ok: fc.constant(false as const),
    why: fc.constantFrom('missing' as const, 'failed' as const),
    reason: word,
  }),
);

/** Any operation of the kind a result answers: the parser needs no more of it. */
function askFor(op: NodeOperation['op']): NodeOperation {
  const all: Record<NodeOperation['op'], NodeOperation> = {
    read: { op: 'read', path: '/' },
    'read-directory': { op: 'read-directory', directory: '/', suffix: '' },
    'list-directory': { op: 'list-directory', directory: '/', prefix: '' },
    run: { op: 'run', argv: ['x'], timeoutSeconds: 1 },
    replace: { op: 'replace', path: '/a', temporary: '/b', contents: Buffer.alloc(0), mode: 0, uid: 0, gid: 0 },
    remove: { op: 'remove', path: '/' },
  };
  return all[op];
}

describe('operations', () => {
  it('come back from the command line and the input that carry them', () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 6 }), (operations) => {
        const { argv, stdin } = encodeOperations(operations);
        expect(decodeOperations(argv, stdin)).toEqual(operations);
      }),
    );
  });

  it('put no contents of files into arguments', () => {
    const secret = Buffer.from('a private key');
    const { argv, stdin } = encodeOperations([
      { op: 'replace', path: '/a', temporary: '/b', contents: secret, mode: 0o600, uid: 0, gid: 0 },
    ]);
    expect(argv.join(' ')).not.toContain('private key');
    expect(stdin).toEqual(secret);
  });

  it('always run the same program', () => {
    fc.assert(
      fc.property(fc.array(operation), (operations) => {
        expect(encodeOperations(operations).argv.slice(0, 4)).toEqual(encodeOperations([]).argv);
      }),
    );
  });

  it.each([
    ['a NUL byte', { op: 'read', path: '/a\0b' }],
    ['a relative path', { op: 'remove', path: 'etc/passwd' }],
    ['a slash in a suffix', { op: 'read-directory', directory: '/', suffix: '/x' }],
    ['a slash in a prefix', { op: 'list-directory', directory: '/', prefix: '../x' }],
    ['an empty command', { op: 'run', argv: [], timeoutSeconds: 1 }],
    ['an owner below zero', { ...askFor('replace'), uid: -1 }],
    ['an endless timeout', { op: 'run', argv: ['x'], timeoutSeconds: Number.POSITIVE_INFINITY }],
  ] as [string, NodeOperation][])('cannot carry %s', (_, one) => {
    expect(() => encodeOperations([one])).toThrow(RangeError);
  });

  it('never ask for no time at all, which would mean no limit', () => {
    const { argv } = encodeOperations([{ op: 'run', argv: ['x'], timeoutSeconds: 0 }]);
    expect(decodeOperations(argv)).toEqual([{ op: 'run', argv: ['x'], timeoutSeconds: 1 }]);
  });

  it('are not read out of other commands, nor out of half of one', () => {
    const { argv, stdin } = encodeOperations([askFor('run'), { op: 'read', path: '/a' }]);
    expect(() => decodeOperations(['sh', '-c', 'true'])).toThrow(/carries no node operations/);
    expect(() => decodeOperations(argv.slice(0, -1), stdin)).toThrow(/ends inside/);
    expect(() => decodeOperations([...argv, 'format'], stdin)).toThrow(/unknown operation/);
    const one = encodeOperations([{ ...askFor('replace'), contents: Buffer.from('abc') } as NodeOperation]);
    expect(() => decodeOperations(one.argv, Buffer.from('ab'))).toThrow(/shorter/);
  });
});

describe('results', () => {
  it('come back from the answer that carries them', () => {
    fc.assert(
      fc.property(fc.array(result, { maxLength: 6 }), (results) => {
        const operations = results.map(({ op }) => askFor(op));
        expect(parseResults(operations, encodeResults(results))).toEqual(results);
      }),
    );
  });

  it('that are cut off are kept up to the cut; the rest has failed', () => {
    fc.assert(
      fc.property(fc.array(result, { minLength: 1, maxLength: 4 }), fc.nat(), (results, cut) => {
        const operations = results.map(({ op }) => askFor(op));
        const whole = encodeResults(results);
        const parsed = parseResults(operations, whole.subarray(0, cut % whole.length));
        const broken = parsed.findIndex((one) => !one.ok && one.reason.includes('cannot be understood'));
        expect(broken).toBeGreaterThanOrEqual(0);
        expect(parsed.slice(0, broken)).toEqual(results.slice(0, broken));
        expect(parsed.slice(broken).every((one) => !one.ok && one.why === 'failed')).toBe(true);
      }),
    );
  });

  it.each(['hello\n', 'exit x\n', 'raw 1\nab', 'ok\n', 'file 644 0 0 2\n/a\nzip 0\n\nok\n'])(
    'are not made of %j',
    (answer) => {
      const [parsed] = parseResults([askFor('read')], Buffer.from(answer));
      expect(parsed).toMatchObject({ op: 'read', ok: false, why: 'failed' });
    },
  );
});
