import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeFakeWorld } from '../testing/fake-world.ts';
import { gatherHostKubeconfig } from './kubeconfig.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rekindle-kubeconfig-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function write(name: string, ...clusters: string[]): Promise<void> {
  const entries = clusters.map((cluster) => ({ name: cluster, cluster: { server: 'https://127.0.0.1:41783' } }));
  const contexts = clusters.map((cluster) => ({ name: cluster, context: { cluster, user: cluster } }));
  return writeFile(join(folder, name), JSON.stringify({ clusters: entries, contexts, users: [] }));
}

async function look(...names: string[]) {
  const { world } = await makeFakeWorld();
  const paths = names.map((name) => join(folder, name)).join(':');
  const surroundings = { ...world.surroundings, environment: { ...world.surroundings.environment, KUBECONFIG: paths } };
  const seenFacts = await gatherHostKubeconfig({ ...world, options: {}, surroundings }, 'idp-mvp', null);
  if (!seenFacts.ok) throw new Error(seenFacts.reason);
  return seenFacts.value;
}

test('of several files the one that has the context', async () => {
  await write('other', 'kind-other');
  await write('ours', 'kind-idp-mvp');
  expect(await look('missing', 'other', 'ours')).toMatchObject({ path: join(folder, 'ours'), contextPresent: true });
});

test('where none has it, the one that kind would write to', async () => {
  await write('other', 'kind-other');
  expect(await look('missing', 'other')).toMatchObject({ path: join(folder, 'other'), contextPresent: false });
  expect(await look('missing')).toMatchObject({ path: join(folder, 'missing'), state: 'missing' });
});

test('two entries of one name: kubectl refuses such a file', async () => {
  await write('twice', 'kind-idp-mvp', 'kind-idp-mvp');
  expect(await look('twice')).toMatchObject({
    state: 'invalid',
    reason: expect.stringMatching(/^line 1, column \d+: two clusters have the name "kind-idp-mvp"$/),
  });
});
