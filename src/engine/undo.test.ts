import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { controlPlane, single } from '../facts/testing/facts.ts';
import { kubeletConf } from './testing/fake-cluster.ts';
import { type FakeWorld, makeFakeWorld } from './testing/fake-world.ts';
import {
  crashByRunbook,
  crashHalfway,
  heal,
  listTemporaries,
  pictureFiles,
  readJournal,
  replaceText,
  textOf,
} from './testing/healing.ts';
import { makeHost } from './testing/host.ts';
import { UndoError, type UndoOptions, undoRun } from './undo.ts';

function undo(fake: FakeWorld, run: string | null, options: Partial<UndoOptions> = {}) {
  return undoRun(fake.world, run ?? '', {
    dryRun: false,
    host: makeHost(),
    signal: new AbortController().signal,
    ...options,
  });
}

/** A file of another mode and owner than usual, so that both can be seen to come back. */
function giveMode(fake: FakeWorld, path: string): void {
  const { files } = fake.cluster.find(controlPlane);
  const file = files.get(path);
  if (file !== undefined) files.set(path, { ...file, mode: 0o640, uid: 7, gid: 8 });
}

describe('undo', () => {
  test('puts every file back byte for byte, with mode and owner, and restarts what reads them', async () => {
    const fake = await makeFakeWorld();
    await crashHalfway(fake);
    giveMode(fake, kubeletConf);
    giveMode(fake, '/etc/kubernetes/manifests/etcd.yaml');
    await writeFile(fake.kubeconfigPath, '# empty\n');
    const before = pictureFiles(fake);
    const healed = await heal(fake);
    expect(healed.verdict).toBe('healed');
    expect(pictureFiles(fake)).not.toEqual(before);
    const outcome = await undo(fake, healed.run);
    expect(outcome.verdict).toBe('healed');
    expect(pictureFiles(fake)).toEqual(before);
    expect(await readFile(fake.kubeconfigPath, 'utf8')).toBe('# empty\n');
    expect(fake.cluster.find(controlPlane).kubelet.server).toBe('172.18.0.2');
    expect(outcome.applied.every(({ result }) => result === 'done')).toBe(true);
    expect((await readJournal(fake, outcome.run)).at(-1)).toMatchObject({ verdict: 'restored' });
  });

  test('refuses a file that somebody changed since, and tells where its old bytes are', async () => {
    const fake = await makeFakeWorld();
    await crashByRunbook(fake);
    const { run } = await heal(fake);
    replaceText(fake, controlPlane, kubeletConf, (text) => `${text}# by hand\n`);
    const before = pictureFiles(fake);
    const outcome = await undo(fake, run);
    expect(outcome.verdict).toBe('remaining');
    expect(outcome.applied[0]).toMatchObject({
      result: 'skipped',
      note: expect.stringContaining(`has been changed since run ${run}`),
    });
    expect(pictureFiles(fake)).toEqual(before);
  });

  test('asks first, and does nothing without a yes', async () => {
    const fake = await makeFakeWorld(single);
    await crashByRunbook(fake);
    const { run } = await heal(fake);
    const before = pictureFiles(fake);
    const host = makeHost(['unanswered']);
    expect(await undo(fake, run, { host })).toMatchObject({ verdict: 'declined', run: null });
    expect(host.questions).toMatchObject([{ code: 'undo-run', defaultAnswer: false }]);
    expect(pictureFiles(fake)).toEqual(before);
  });

  test('a dry run shows what would be put back', async () => {
    const fake = await makeFakeWorld(single);
    await crashByRunbook(fake);
    const { run } = await heal(fake);
    const before = pictureFiles(fake);
    const outcome = await undo(fake, run, { dryRun: true });
    expect(outcome).toMatchObject({ verdict: 'planned', run: null });
    expect(outcome.plans[0]?.steps.map(({ title }) => title)).toEqual([
      `put back ${kubeletConf} on ${controlPlane}`,
      `restart kubelet on ${controlPlane}`,
    ]);
    expect(pictureFiles(fake)).toEqual(before);
  });

  test('can be undone in turn', async () => {
    const fake = await makeFakeWorld(single);
    await crashByRunbook(fake);
    const healed = await heal(fake);
    const well = pictureFiles(fake);
    const undone = await undo(fake, healed.run);
    const again = await undo(fake, undone.run);
    expect(again.verdict).toBe('healed');
    expect(pictureFiles(fake)).toEqual(well);
  });

  test('a run that was cut short is undone as far as it went', async () => {
    const fake = await makeFakeWorld(single);
    await crashByRunbook(fake);
    const before = pictureFiles(fake);
    const abort = new AbortController();
    const host = makeHost(['yes'], ({ code }) => {
      if (code === 'step-done') abort.abort(new Error('interrupted'));
    });
    const cut = await heal(fake, { host, signal: abort.signal });
    expect(textOf(fake, kubeletConf)).toContain(`https://${controlPlane}:6443`);
    expect(await undo(fake, cut.run)).toMatchObject({ verdict: 'healed' });
    expect(pictureFiles(fake)).toEqual(before);
    expect(listTemporaries(fake)).toEqual([]);
  });

  test('of a run on another engine it is refused', async () => {
    const fake = await makeFakeWorld(single);
    await crashByRunbook(fake);
    const { run } = await heal(fake);
    const { engine } = fake.world;
    if (!engine.ok) throw new Error('the fake engine answers');
    const elsewhere: FakeWorld = {
      ...fake,
      world: {
        ...fake.world,
        engine: { ...engine, info: Promise.resolve({ ...(await engine.info), id: 'ENGINE-2' }) },
      },
    };
    await expect(undo(elsewhere, run)).rejects.toThrow(UndoError);
    await expect(undo(elsewhere, run)).rejects.toThrow('of another Docker engine (ENGINE-1)');
  });
});
