import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EngineError } from '../docker/port.ts';
import { cluster } from '../facts/testing/facts.ts';
import { readRecording } from '../bundle/read.ts';
import { unpackAll } from '../bundle/testing/unpack.ts';
import { stateDirectory } from '../runs/location.ts';
import { makeBundle } from './bundle.ts';
import { diagnose } from './diagnose.ts';
import type { Diagnosis } from './diagnosis.ts';
import { diagnoseCluster } from './look.ts';
import { makeFakeWorld } from './testing/fake-world.ts';
import { crashByRunbook, heal } from './testing/healing.ts';
import { makeHost } from './testing/host.ts';
import type { World } from './world.ts';

const options = () => ({ host: makeHost(), signal: new AbortController().signal });
const folder = /^rekindle-idp-mvp-\d{8}-\d{6}\//;

async function unpack(contents: Buffer): Promise<Map<string, string>> {
  return new Map([...(await unpackAll(contents))].map(([name, text]) => [name.replace(folder, ''), text]));
}

/** The world goes on between two looks. */
function withoutTimes(diagnosis: Diagnosis): unknown {
  return JSON.parse(JSON.stringify(diagnosis).replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'then'));
}

describe('a bundle', () => {
  it('diagnosed elsewhere says what the live cluster says', async () => {
    const fake = await makeFakeWorld();
    await crashByRunbook(fake);
    const live = await diagnoseCluster(fake.world, cluster, options());
    const { contents, manifest } = await makeBundle(fake.world, cluster, options());
    const offline = diagnose(await readRecording(contents));
    expect(live.diagnosis.verdict).toBe('broken');
    expect(withoutTimes(offline)).toEqual(withoutTimes(live.diagnosis));
    expect(manifest.removed).toEqual([]);
    expect(JSON.parse((await unpack(contents)).get('diagnosis.json') ?? '')).toEqual(offline);
  });

  it('holds the logs of each node, for one exec more than a look', async () => {
    const fake = await makeFakeWorld();
    const { run } = fake.cluster;
    fake.cluster.run = async (node, argv) =>
      argv[0] === 'find'
        ? { exitCode: 0, stdout: `==> ${argv[5] ?? ''}\nlog of ${node.facts.name}\n` }
        : argv[0] === 'journalctl' && argv.includes('200')
          ? { exitCode: 0, stdout: `kubelet of ${node.facts.name}\n` }
          : await run(node, argv);
    await diagnoseCluster(fake.world, cluster, options());
    const look = fake.execCount();
    const { contents, manifest } = await makeBundle(fake.world, cluster, options());
    const nodes = fake.cluster.nodes().length;
    expect(fake.execCount() - look).toBe(look + nodes);
    const files = await unpack(contents);
    expect([...files.keys()].filter((name) => name.startsWith('logs/')).toSorted()).toEqual([
      'logs/idp-mvp-control-plane/etcd.log',
      'logs/idp-mvp-control-plane/kube-apiserver.log',
      'logs/idp-mvp-control-plane/kube-controller-manager.log',
      'logs/idp-mvp-control-plane/kube-scheduler.log',
      'logs/idp-mvp-control-plane/kubelet.log',
      'logs/idp-mvp-worker/kubelet.log',
      'logs/idp-mvp-worker2/kubelet.log',
    ]);
    expect(files.get('logs/idp-mvp-worker/kubelet.log')).toBe('kubelet of idp-mvp-worker\n');
    expect(manifest.missing).toEqual([]);
    expect(manifest.files.map(({ path }) => path)).toEqual(
      [...files.keys()].filter((name) => name !== 'manifest.json'),
    );
  });

  it('tells which logs it could not have', async () => {
    const fake = await makeFakeWorld();
    const worker = fake.cluster.find('idp-mvp-worker');
    worker.facts = { ...worker.facts, running: false, state: 'exited' };
    const { manifest } = await makeBundle(fake.world, cluster, options());
    expect(manifest.missing).toContainEqual({
      what: 'log of kubelet on idp-mvp-worker',
      reason: expect.stringMatching(/does not run|stopped|not running/) as string,
    });
  });

  it('holds the journals of the runs, and none of their backups', async () => {
    const fake = await makeFakeWorld();
    await crashByRunbook(fake);
    const { run } = await heal(fake);
    const { contents } = await makeBundle(fake.world, cluster, options());
    const files = await unpack(contents);
    const lines = (files.get(`runs/${run}.jsonl`) ?? '').trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { type: string }).type)).toEqual(
      expect.arrayContaining(['run-started', 'planned', 'backup', 'run-ended']) as string[],
    );
    expect([...files.keys()].filter((name) => /backup|result|etcd-.*db/.test(name))).toEqual([]);
  });

  it('holds the beginning and the end of a journal that is too long', async () => {
    const fake = await makeFakeWorld();
    await crashByRunbook(fake);
    const { run } = await heal(fake);
    const path = join(stateDirectory(fake.world.surroundings), 'runs', run ?? '', 'journal.jsonl');
    const lines = (await readFile(path, 'utf8')).trim().split('\n');
    const [last = ''] = lines.slice(-1);
    const copies = Array.from({ length: Math.ceil(3_000_000 / last.length) }, () => last);
    await writeFile(path, `${[...lines, ...copies].join('\n')}\n`);
    const { contents, manifest } = await makeBundle(fake.world, cluster, options());
    const text = (await unpack(contents)).get(`runs/${run}.jsonl`) ?? '';
    const kept = text.trim().split('\n');
    expect(text.length).toBeLessThan(600_000);
    expect(JSON.parse(kept[0] ?? '')).toEqual(JSON.parse(lines[0] ?? ''));
    expect(JSON.parse(kept.at(-1) ?? '')).toEqual(JSON.parse(last));
    const left = lines.length + copies.length - kept.length;
    expect(manifest.missing).toContainEqual({
      what: `${left} entries of the journal of run ${run}`,
      reason: 'it is too long',
    });
  }, 20_000);

  it('is made without an engine too', async () => {
    const fake = await makeFakeWorld();
    await crashByRunbook(fake);
    const { run } = await heal(fake);
    const error = new EngineError('unreachable', 'No Docker engine answers.');
    const world: World = { ...fake.world, engine: { ok: false, error } };
    const { manifest, contents } = await makeBundle(world, '', options());
    expect(manifest.missing).toEqual([{ what: 'the state of the cluster', reason: 'No Docker engine answers.' }]);
    expect(manifest.files.map(({ path }) => path)).toEqual(['facts.json', 'diagnosis.json', `runs/${run}.jsonl`]);
    expect(diagnose(await readRecording(contents)).findings.map(({ id }) => id)).toEqual(['engine/unreachable']);
  });

  it('ends where it is interrupted', async () => {
    const fake = await makeFakeWorld();
    const controller = new AbortController();
    const host = makeHost(['yes'], ({ code }) => {
      if (code === 'gather-started') controller.abort(new Error('interrupted'));
    });
    await expect(makeBundle(fake.world, cluster, { host, signal: controller.signal })).rejects.toThrow('interrupted');
  });
});
