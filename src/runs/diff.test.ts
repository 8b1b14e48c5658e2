import { generateKeyPairSync } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeChanges } from './diff.ts';
import { StateError } from './errors.ts';
import { makePlanned, makeTemporaryFolder, openTestStore, start } from './testing.ts';

const node = 'idp-mvp-control-plane';

async function applyChanges(
  ...changes: [path: string, before: Uint8Array | string | null, after?: Uint8Array | string | null | undefined][]
) {
  const store = openTestStore(await makeTemporaryFolder());
  const run = await store.begin(start);
  const steps = changes.map(([path], index) =>
    makePlanned(String(index + 1), { kind: 'edit-file', node, path, edits: [] }),
  );
  await run.record({ type: 'planned', round: 1, plan: { steps, unserved: [] } });
  for (const [index, [path, before, after]] of changes.entries()) {
    const where = { round: 1, step: String(index + 1), node, path };
    await run.record({ type: 'step-started', round: 1, step: where.step });
    await run.keepBackup(
      where,
      before === null ? null : { contents: Buffer.from(before), mode: 0o600, uid: 0, gid: 0 },
    );
    if (after === undefined) continue;
    await run.keepResult(where, after === null ? null : Buffer.from(after));
    await run.record({ type: 'step-done', round: 1, step: where.step, note: '' });
  }
  return { store, run };
}

async function describeOne(path: string, before: Uint8Array | string | null, after?: Uint8Array | string | null) {
  const { store, run } = await applyChanges([path, before, after]);
  return await describeChanges(store, run.id);
}

const { privateKey: pem } = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});

const conf = (key: string, server: string): string =>
  `users:\n- name: a\n  user:\n    client-certificate-data: Y2VydA==\n    client-key-data: ${key}\n    server: ${server}\n`;
const wrap = (body: readonly string[]): string =>
  `-----BEGIN RSA PRIVATE KEY-----\n${body.join('\n')}\n-----END RSA PRIVATE KEY-----\n`;

describe('describeChanges', () => {
  it('shows a changed file as a unified diff', async () => {
    const before = 'apiVersion: v1\nclusters:\n- cluster:\n    server: https://172.18.0.4:6443\n  name: a\n';
    const changes = await describeOne('/etc/kubernetes/kubelet.conf', before, before.replace('172.18.0.4', node));
    expect(changes).toEqual([
      {
        node,
        path: '/etc/kubernetes/kubelet.conf',
        change: 'changed',
        summary: 'changed (93 bytes)',
        diff: [
          `--- /etc/kubernetes/kubelet.conf on ${node}`,
          `+++ /etc/kubernetes/kubelet.conf on ${node}`,
          '@@ -1,5 +1,5 @@',
          ' apiVersion: v1',
          ' clusters:',
          ' - cluster:',
          '-    server: https://172.18.0.4:6443',
          '+    server: https://idp-mvp-control-plane:6443',
          '   name: a',
          '',
        ].join('\n'),
      },
    ]);
  });

  it('compares what was before the first change with what was written last', async () => {
    const { store, run } = await applyChanges(
      ['/a', 'one\n', 'two\n'],
      ['/b', 'same\n', 'same\n'],
      ['/a', 'two\n', 'three\n'],
      ['/c', 'x', 'y'],
      ['/c', 'y', 'x'],
    );
    const changes = await describeChanges(store, run.id);
    expect(changes.map(({ path }) => path)).toEqual(['/a']);
    expect(changes[0]?.diff).toMatch(/-one\n\+three\n/);
  });

  it('says what was created, and what was removed', async () => {
    const { store, run } = await applyChanges(['/new', null, 'hello\n'], ['/old', 'bye\n', null]);
    expect(await describeChanges(store, run.id)).toMatchObject([
      {
        path: '/new',
        change: 'created',
        summary: 'created (6 bytes)',
        diff: expect.stringMatching(/^--- \/dev\/null\n.*\n@@ .*\n\+hello\n/),
      },
      { path: '/old', change: 'removed', summary: 'removed', diff: expect.stringMatching(/\n-bye\n/) },
    ]);
  });

  it('shows keys and binary files by their size only', async () => {
    const { store, run } = await applyChanges(
      ['/etc/kubernetes/pki/apiserver.key', 'old key', 'new key!'],
      ['/var/lib/x.db2', Buffer.from([1, 0, 2]), Buffer.from([1, 0, 3, 4])],
      ['/latin', Buffer.from([0xe4]), Buffer.from('plain')],
    );
    const changes = await describeChanges(store, run.id);
    expect(changes.map(({ summary, diff }) => [summary, diff])).toEqual([
      ['changed (8 bytes)', null],
      ['changed (4 bytes)', null],
      ['changed (5 bytes)', null],
    ]);
  });

  it('says so where a crash left unclear what was written', async () => {
    expect(await describeOne('/a', 'one')).toMatchObject([{ change: 'unclear', diff: null }]);
  });

  it('shows that a secret changed, not what it is', async () => {
    const [oldKey, newKey] = ['LS0tLS1CRUdJTiBvbGQ', 'LS0tLS1CRUdJTiBuZXc'];
    const [changed] = await describeOne('/k', conf(oldKey, 'x'), conf(newKey, 'x'));
    expect(changed?.diff).toContain('-    client-key-data: <redacted>\n+    client-key-data: <redacted>\n');
    const [same] = await describeOne('/k', conf(oldKey, 'x'), conf(oldKey, 'y'));
    expect(same?.diff).toContain('     client-key-data: <redacted>\n-    server: x\n+    server: y\n');
    expect(`${changed?.diff}${same?.diff}`).not.toMatch(/LS0t/);
  });

  it('hides a key of which only the middle changed, without its first line anywhere near', async () => {
    const lines = Array.from({ length: 40 }, (_, index) => `line${index}`.padEnd(64, 'A'));
    const [change] = await describeOne('/mixed.pem', wrap(lines), wrap(lines.with(20, 'B'.repeat(64))));
    expect(change?.diff).toMatch(/-<redacted>\n\+<redacted>/);
    expect(change?.diff).not.toMatch(/line\d|BBBB/);
  });

  it('hides in the new text what only the old one gives away', async () => {
    const [change] = await describeOne('/f', 'password: open-sesame\n', 'command: login open-sesame\n');
    expect(change?.diff).not.toContain('sesame');
  });

  it('lets no file that lacks the end of a key swallow the other', async () => {
    const [change] = await describeOne('/f', `a\n${pem.split('-----END')[0]}`, 'a\nb\n');
    expect(change?.diff).toContain('+b');
    expect(change?.diff).not.toContain(pem.split('\n')[1]);
  });

  it('makes control characters visible, so that no file steers the terminal', async () => {
    const [change] = await describeOne('/f', 'a\n', 'a\u001b[2J\rb\u009b1m\ttab\r\n');
    expect(change?.diff).toContain('+a\\x1b[2J\\x0db\\x9b1m\ttab');
  });

  it('rejects where a kept file is gone', async () => {
    const { store, run } = await applyChanges(['/a', 'one', 'two']);
    await rm(join(run.directory, 'backups', '0001'));
    await expect(describeChanges(store, run.id)).rejects.toThrow(StateError);
  });
});
