import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { encodeOperations, parseResults } from '../../../../src/node/operations.ts';
import type { NodeOperation, NodeOperationResult } from '../../../../src/node/port.ts';
import { createTestCluster, runIn } from '../testing/cluster.ts';

// The real program, run by the bash of this machine, is the measure.
vi.setConfig({ testTimeout: 60_000 });

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rekindle-sim-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

it('answers as the real script does', async () => {
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  const cluster = createTestCluster();
  await cluster.start('dev-worker', 3);
  const guest = cluster.guest('dev-worker');
  const at = (name: string) => join(folder, name);
  mkdirSync(at('sub'));
  for (const [name, text] of [
    ['one.yaml', 'one\n'],
    ['.hidden.yaml', ''],
    ['two', 'two\0three'],
  ] as const) {
    writeFileSync(at(name), text);
    chmodSync(at(name), 0o640);
    guest.files.write(at(name), text, { mode: 0o640, uid, gid });
  }
  symlinkSync(at('one.yaml'), at('link'));
  guest.files.link(at('link'), at('one.yaml'));
  guest.files.makeDirectory(at('sub'));

  const replace = (path: string, temporary: string): NodeOperation => ({
    op: 'replace',
    path,
    temporary,
    contents: Buffer.from('new'),
    mode: 0o604,
    uid,
    gid,
  });
  const operations: NodeOperation[] = [
    ...['one.yaml', 'link', 'two', 'none', 'sub', '.hidden.yaml', 'one.yaml/x'].map(
      (name): NodeOperation => ({ op: 'read', path: at(name) }),
    ),
    { op: 'read-directory', directory: folder, suffix: '.yaml' },
    { op: 'read-directory', directory: at('none'), suffix: '' },
    { op: 'read-directory', directory: at('one.yaml'), suffix: '' },
    { op: 'list-directory', directory: folder, prefix: '' },
    { op: 'list-directory', directory: at('none'), prefix: 'x' },
    { op: 'run', argv: ['no-such-command'], timeoutSeconds: 5 },
    { op: 'run', argv: ['cat', at('one.yaml')], timeoutSeconds: 5 },
    { op: 'run', argv: ['cat', at('none')], timeoutSeconds: 5 },
    { op: 'run', argv: ['test', '-f', at('none')], timeoutSeconds: 5 },
    replace(at('three'), at('.temporary')),
    { op: 'read', path: at('three') },
    replace(at('none/three'), at('.temporary')),
    replace(at('three'), at('none/.temporary')),
    replace(at('sub'), at('.temporary')),
    { op: 'list-directory', directory: folder, prefix: '.' },
    ...['three', 'none', 'sub', 'link'].map((name): NodeOperation => ({ op: 'remove', path: at(name) })),
    { op: 'list-directory', directory: folder, prefix: '' },
  ];
  const { argv, stdin } = encodeOperations(operations);
  const [command = '', ...rest] = argv;
  const real = spawnSync(command, rest, { input: stdin });
  expect(real.stderr.toString()).toBe('');
  const simulated = await runIn(guest, argv, stdin.toString('latin1'));
  expect(simulated).toMatchObject({ exitCode: 0, stderr: '' });
  const measure = parseResults(operations, real.stdout).map(tidy);
  expect(parseResults(operations, Buffer.from(simulated.stdout)).map(tidy)).toEqual(measure);
});

/** What differs between machines: the sizes of folders, and how coreutils of other languages quote. */
function tidy(result: NodeOperationResult): unknown {
  if (result.ok && result.op === 'list-directory')
    return result.entries.map(({ name, size }) => (name === 'sub' ? name : { name, size }));
  return result;
}
