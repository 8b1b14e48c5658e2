import { gunzipSync } from 'node:zlib';
import { access, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cluster, controlPlane, highlyAvailable, single, worker } from '../facts/testing/facts.ts';
import { flagsFile, manifestFolder } from '../facts/testing/node-files.ts';
import { LockedError } from '../runs/lock.ts';
import { healCluster } from './heal.ts';
import type { Answer, Host } from './messages.ts';
import { openRuns } from './state.ts';
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

const patience = 60_000;

async function crashed(): Promise<FakeWorld> {
  const fake = await makeFakeWorld();
  await crashByRunbook(fake);
  return fake;
}

function runsOf(fake: FakeWorld) {
  return openRuns(fake.world.surroundings).list();
}

describe("the runbook's crash", () => {
  test('is healed, and the cluster found well again', async () => {
    const fake = await crashed();
    const outcome = await heal(fake);
    expect(outcome).toMatchObject({ verdict: 'healed', diagnosis: { verdict: 'healthy', findings: [], unknown: [] } });
    expect(outcome.applied.map(({ result }) => result)).toEqual(['done', 'done', 'done', 'done']);
    expect(outcome.millisecondsToReady).toBeGreaterThan(0);
    expect(textOf(fake, kubeletConf)).toContain(`server: https://${controlPlane}:6443\n`);
    expect(fake.cluster.find(controlPlane).object).toMatchObject({ ready: true, address: '172.18.0.4' });
    expect(listTemporaries(fake)).toEqual([]);
  });

  test('nothing but the one file is changed', async () => {
    const fake = await crashed();
    const before = pictureFiles(fake);
    await heal(fake);
    const changed = Object.entries(pictureFiles(fake)).filter(([name, picture]) => before[name] !== picture);
    expect(changed.map(([name]) => name)).toEqual([`${controlPlane}:${kubeletConf}`]);
    // Mode and owner stand in the picture's first line.
    expect(changed[0]?.[1].split('\n')[0]).toBe('600 0:0');
  });

  test('the journal holds all of it, in order', async () => {
    const fake = await crashed();
    const { run } = await heal(fake);
    const entries = await readJournal(fake, run);
    expect(entries.map((entry) => ('step' in entry ? `${entry.type} ${entry.step}` : entry.type))).toEqual([
      'run-started',
      'planned',
      'snapshot',
      'step-started 1',
      'backup 1',
      'wrote 1',
      'step-done 1',
      'step-started 2',
      'step-done 2',
      'step-started 3',
      'step-done 3',
      'step-started 4',
      'step-done 4',
      'run-ended',
    ]);
    expect(entries.at(-1)).toMatchObject({ verdict: 'healed' });
    expect(await runsOf(fake)).toMatchObject([{ id: run, state: 'ended', verdict: 'healed', stepsDone: 4 }]);
  });

  test('the old file is kept byte for byte, for nobody else to read', async () => {
    const fake = await crashed();
    const before = textOf(fake, kubeletConf);
    const { run } = await heal(fake);
    const backup = (await readJournal(fake, run)).find((entry) => entry.type === 'backup');
    expect(backup).toMatchObject({ node: controlPlane, path: kubeletConf, mode: 0o600, uid: 0, gid: 0 });
    const path = join(fake.dataFolder, 'rekindle', 'runs', run ?? '', backup?.backup ?? '');
    expect(await readFile(path, 'utf8')).toBe(before);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  test('a second heal finds a healthy cluster and makes no run', async () => {
    const fake = await crashed();
    await heal(fake);
    const host = makeHost();
    expect(await heal(fake, { host })).toMatchObject({ verdict: 'healthy', run: null, applied: [], plans: [] });
    expect(host.questions).toEqual([]);
    expect(await runsOf(fake)).toHaveLength(1);
  });

  test('no secret reaches the journal or the host', async () => {
    const fake = await crashed();
    await writeFile(fake.kubeconfigPath, '');
    const host = makeHost();
    const { run, verdict } = await heal(fake, { host });
    expect(verdict).toBe('healed');
    const told = JSON.stringify(host.messages) + JSON.stringify(await readJournal(fake, run));
    const secret = Buffer.from(fake.cluster.admin.privateKeyPem).toString('base64');
    expect(await readFile(fake.kubeconfigPath, 'utf8')).toContain(secret);
    expect(told).not.toContain(secret);
    expect(told).not.toContain('PRIVATE KEY');
    expect(told).not.toMatch(/client-key-data/);
  });
});

describe('other faults', () => {
  test('a boot cut short: files, certificate and all, while the API is dead', async () => {
    const fake = await makeFakeWorld();
    await crashHalfway(fake);
    expect(fake.cluster.isApiUp()).toBe(false);
    const outcome = await heal(fake);
    expect(outcome).toMatchObject({ verdict: 'healed', diagnosis: { findings: [] } });
    for (const path of [`${manifestFolder}/etcd.yaml`, flagsFile]) {
      expect(textOf(fake, path)).toContain('172.18.0.4');
      expect(textOf(fake, path)).not.toContain('172.18.0.2');
    }
    expect(listTemporaries(fake)).toEqual([]);
  });

  test('an etcd that does not answer is no reason to stop: the snapshot is told to be skipped', async () => {
    const fake = await makeFakeWorld(single);
    await crashHalfway(fake);
    const host = makeHost();
    await heal(fake, { host });
    expect(host.messages.filter(({ code }) => code.startsWith('snapshot')).map(({ code }) => code)[0]).toBe(
      'snapshot-skipped',
    );
  });

  test('an etcd that does not answer is copied, folder and all, before its manifest is changed', async () => {
    const fake = await makeFakeWorld(single);
    await crashHalfway(fake);
    fake.cluster.containers
      .get(controlPlane)
      ?.files.set('/var/lib/etcd/member/snap/db', { contents: Buffer.from('precious'), mode: 0o600, uid: 0, gid: 0 });
    const host = makeHost();
    await heal(fake, { host });
    const taken = host.messages.find(({ code }) => code === 'snapshot-taken');
    const copy = taken?.code === 'snapshot-taken' ? gunzipSync(await readFile(taken.path)) : Buffer.alloc(0);
    expect(copy.includes('etcd/member/snap/db')).toBe(true);
    expect(copy.includes('precious')).toBe(true);
  });

  test('every container stopped: started, booted, well', async () => {
    const fake = await makeFakeWorld();
    for (const name of fake.cluster.containers.keys()) await stop(fake, name);
    fake.clock.advance(60_000);
    const outcome = await heal(fake);
    expect(outcome).toMatchObject({ verdict: 'healed', diagnosis: { findings: [] } });
    expect(outcome.applied[0]?.title).toBe(`start the container ${controlPlane}`);
  });

  test('HA: three control planes that exchanged their addresses', async () => {
    const fake = await makeFakeWorld(highlyAvailable);
    await fake.cluster.crash({ [controlPlane]: 3, 'idp-mvp-control-plane2': 4, 'idp-mvp-control-plane3': 2 });
    const outcome = await heal(fake);
    expect(outcome).toMatchObject({ verdict: 'healed', diagnosis: { findings: [] } });
    for (const { facts } of fake.cluster.controlPlanes())
      expect(textOf(fake, kubeletConf, facts.name)).toContain(`https://${facts.name}:6443`);
  });

  test('a kubeconfig that names another port: the cluster is left alone, so is the rest of the file', async () => {
    const fake = await makeFakeWorld(single);
    const before = await readFile(fake.kubeconfigPath, 'utf8');
    const stale = `# mine\n${before.replace(/server: .*/, 'server: https://127.0.0.1:1')}`;
    await writeFile(fake.kubeconfigPath, stale);
    const picture = pictureFiles(fake);
    expect(await heal(fake)).toMatchObject({ verdict: 'healed' });
    expect(await readFile(fake.kubeconfigPath, 'utf8')).toBe(`# mine\n${before}`);
    expect((await stat(fake.kubeconfigPath)).mode & 0o777).toBe(0o600);
    expect(pictureFiles(fake)).toEqual(picture);
  });

  test('a warning alone: a restart policy is set, and the workloads left alone', async () => {
    const fake = await makeFakeWorld(single);
    const container = fake.cluster.find(controlPlane);
    container.facts = { ...container.facts, restartPolicy: { name: 'no', maximumRetryCount: 0 } };
    expect(await heal(fake)).toMatchObject({ verdict: 'healed' });
    expect(container.facts.restartPolicy).toEqual({ name: 'on-failure', maximumRetryCount: 1 });
  });
});

describe('a dry run', () => {
  test('shows the plan, asks nothing, changes nothing, leaves nothing behind', async () => {
    const fake = await crashed();
    const before = pictureFiles(fake);
    const host = makeHost();
    const outcome = await heal(fake, { dryRun: true, host });
    expect(outcome).toMatchObject({ verdict: 'planned', run: null, applied: [] });
    expect(outcome.plans[0]?.steps).toHaveLength(4);
    expect(host.questions).toEqual([]);
    expect(pictureFiles(fake)).toEqual(before);
    await expect(access(join(fake.dataFolder, 'rekindle'))).rejects.toThrow('ENOENT');
  });

  test('its plan is the one that is applied afterwards', async () => {
    const fake = await crashed();
    const preview = await heal(fake, { dryRun: true });
    const outcome = await heal(fake);
    expect(outcome.plans[0]).toEqual(preview.plans[0]);
  });
});

describe('without a yes', () => {
  test.each<Answer>(['no', 'unanswered'])('%s: nothing is done', async (answer) => {
    const fake = await crashed();
    const before = pictureFiles(fake);
    const host = makeHost([answer]);
    expect(await heal(fake, { host })).toMatchObject({ verdict: 'declined', run: null, applied: [] });
    expect(host.questions).toHaveLength(1);
    expect(pictureFiles(fake)).toEqual(before);
    expect(await runsOf(fake)).toEqual([]);
    // The lock is free again.
    expect(await heal(fake)).toMatchObject({ verdict: 'healed' });
  });

  test('an answer that took long is about a cluster that may have changed: it is looked at again, and asked again', async () => {
    const fake = await crashed();
    const host = makeHost();
    const slow: Host = {
      ...host,
      ask: async (question, signal) => {
        if (host.questions.length === 0) {
          fake.clock.advance(60_000);
          // Somebody mended the file meanwhile, so the plan is another one.
          replaceText(fake, controlPlane, kubeletConf, (text) =>
            text.replace(/server: .*/, `server: https://${controlPlane}:6443`),
          );
        }
        return await host.ask(question, signal);
      },
    };
    const outcome = await heal(fake, { host: slow });
    expect(outcome.verdict).toBe('healed');
    expect(host.questions).toHaveLength(2);
    expect(outcome.applied.map(({ title }) => title)[0]).toBe(`restart kubelet on ${controlPlane}`);
  });
});

describe('interrupted', () => {
  test.each(['run-started', 'snapshot-taken', 'step-started', 'step-done', 'step-progress'])(
    'at the first %s: told so, journaled, and the next heal goes on from there',
    async (code) => {
      const fake = await crashed();
      const abort = new AbortController();
      const host = makeHost(['yes'], (message) => {
        if (message.code === code) abort.abort(new Error('interrupted'));
      });
      const outcome = await heal(fake, { host, signal: abort.signal });
      expect(outcome.verdict).toBe('interrupted');
      expect((await readJournal(fake, outcome.run)).at(-1)).toMatchObject({
        type: 'run-ended',
        verdict: 'interrupted',
      });
      expect(listTemporaries(fake)).toEqual([]);
      // Once the last step is under way the cluster may come up by itself.
      const again = await heal(fake);
      expect(again.diagnosis).toMatchObject({ verdict: 'healthy', findings: [] });
      expect(again.verdict).toBe(code === 'step-progress' ? 'healthy' : 'healed');
    },
    patience,
  );

  test('while the question stands: nothing was done', async () => {
    const fake = await crashed();
    const abort = new AbortController();
    const host: Host = {
      tell: () => undefined,
      ask: async (_question, signal) => {
        abort.abort(new Error('interrupted'));
        signal.throwIfAborted();
        return 'yes';
      },
    };
    expect(await heal(fake, { host, signal: abort.signal })).toMatchObject({ verdict: 'interrupted', run: null });
  });
});

describe('steps that fail', () => {
  /** A worker with stale flags whose kubelet cannot be restarted, beside the runbook's control plane. */
  async function withStubbornWorker(): Promise<FakeWorld> {
    const fake = await crashed();
    replaceText(fake, worker, flagsFile, (text) => text.replace('172.18.0.3', '172.18.0.88'));
    fake.onOperation = (container, operation) => {
      if (container === worker && operation.op === 'run' && operation.argv[1] === 'restart')
        throw new Error('Failed to restart kubelet.service: Unit is masked');
    };
    return fake;
  }

  test('skip those that need them; the rest goes on', async () => {
    const fake = await withStubbornWorker();
    const { applied } = await heal(fake);
    const first = new Map(applied.slice(0, 6).map(({ title, result, note }) => [title, { result, note }]));
    expect(first.get(`restart kubelet on ${worker}`)).toMatchObject({
      result: 'failed',
      note: expect.stringContaining('Unit is masked'),
    });
    expect(first.get(`restart kubelet on ${controlPlane}`)?.result).toBe('done');
    expect(first.get('wait until the API server answers')?.result).toBe('skipped');
    expect(textOf(fake, kubeletConf)).toContain(`https://${controlPlane}:6443`);
  });

  test('are in the journal with their reason', async () => {
    const fake = await withStubbornWorker();
    const { run } = await heal(fake);
    const entries = await readJournal(fake, run);
    expect(entries.filter(({ type }) => type === 'step-failed')).not.toEqual([]);
    expect(entries.filter(({ type }) => type === 'step-skipped')).not.toEqual([]);
    for (const entry of entries) {
      if (entry.type !== 'step-started') continue;
      const ends = entries.filter(
        (other) =>
          ['step-done', 'step-failed', 'step-skipped'].includes(other.type) &&
          'round' in other &&
          'step' in other &&
          other.round === entry.round &&
          other.step === entry.step,
      );
      expect(ends, `step ${entry.step} of round ${entry.round}`).toHaveLength(1);
    }
  });

  test('a file that cannot be replaced stays as it was', async () => {
    const fake = await crashed();
    const before = pictureFiles(fake);
    fake.onOperation = (_container, operation) => {
      if (operation.op === 'replace') throw new Error('No space left on device');
    };
    const outcome = await heal(fake);
    expect(outcome.verdict).toBe('remaining');
    expect(outcome.applied[0]).toMatchObject({
      result: 'failed',
      note: expect.stringContaining('No space left on device'),
    });
    expect(pictureFiles(fake)).toEqual(before);
  });

  test('a certificate that kubeadm cannot make: the old files are put back', async () => {
    const fake = await makeFakeWorld(single);
    await fake.cluster.crash({ [controlPlane]: 4 });
    const old = await makeFakeWorld(single);
    const { files } = fake.cluster.find(controlPlane);
    // A pair that belongs together and names another address.
    for (const kind of ['crt', 'key']) {
      const file = old.cluster.find(controlPlane).files.get(`/etc/kubernetes/pki/apiserver.${kind}`);
      if (file !== undefined) files.set(`/etc/kubernetes/pki/apiserver.${kind}`, file);
    }
    const before = pictureFiles(fake);
    fake.onOperation = (_container, operation) => {
      if (operation.op === 'run' && operation.argv[0] === 'kubeadm') throw new Error('ca.key: permission denied');
    };
    const outcome = await heal(fake, { only: ['certificates/apiserver-address-missing'] });
    expect(outcome.applied[0]).toMatchObject({ result: 'failed', note: expect.stringContaining('permission denied') });
    expect(pictureFiles(fake)).toEqual(before);
  });
});

test('a wait that is refused by the API ends as a whole: nothing goes on asking behind it', async () => {
  const fake = await crashed();
  fake.cluster.find(controlPlane).kubelet.broken = true;
  const waitedFor: string[] = [];
  let isWaiting = false;
  fake.onRequest = (path) => {
    if (path.includes('/kube-node-lease/')) waitedFor.push(path);
    return isWaiting && path === '/api/v1/nodes' ? 403 : undefined;
  };
  const host = makeHost(['yes'], (message) => {
    if (message.code === 'step-started') isWaiting = message.title.startsWith('wait until all');
    if (message.code === 'step-failed') isWaiting = false;
  });
  await heal(fake, { host });
  expect(host.messages).toContainEqual(
    expect.objectContaining({ code: 'step-failed', reason: expect.stringContaining('403') }),
  );
  const before = waitedFor.length;
  // Two looks take longer than any request that is under way.
  await heal(fake, { dryRun: true });
  await heal(fake, { dryRun: true });
  expect(waitedFor.length).toBe(before);
});

describe('a world that changes under our hands', () => {
  test('a file that is no longer the one of the plan is left alone, and planned anew', async () => {
    const fake = await crashed();
    let isChanged = false;
    const host = makeHost(['yes'], ({ code }) => {
      if (code !== 'run-started' || isChanged) return;
      isChanged = true;
      replaceText(fake, controlPlane, kubeletConf, (text) =>
        text.replace(/server: .*/, 'server: https://172.18.0.99:6443'),
      );
    });
    const outcome = await heal(fake, { host });
    expect(outcome.applied[0]).toMatchObject({
      result: 'skipped',
      note: expect.stringContaining('has changed since the plan was made'),
    });
    expect(outcome.verdict).toBe('healed');
    expect(textOf(fake, kubeletConf)).toContain(`https://${controlPlane}:6443`);
  });

  test('a file that somebody mended meanwhile counts as mended', async () => {
    const fake = await crashed();
    const host = makeHost(['yes'], ({ code }) => {
      if (code === 'run-started')
        replaceText(fake, controlPlane, kubeletConf, (text) =>
          text.replace(/server: .*/, `server: https://${controlPlane}:6443`),
        );
    });
    const outcome = await heal(fake, { host });
    expect(outcome.applied[0]).toMatchObject({ result: 'done', note: 'was so already' });
    expect(outcome.verdict).toBe('healed');
  });
});

describe('an end in any case', () => {
  test(
    'a repair that does not help is tried twice and no more',
    async () => {
      const fake = await makeFakeWorld();
      fake.cluster.find(worker).kubelet.broken = true;
      fake.clock.advance(90_000);
      const outcome = await heal(fake);
      expect(outcome.verdict).toBe('remaining');
      const restarts = outcome.applied.filter(({ title }) => title === `restart kubelet on ${worker}`);
      expect(restarts).toHaveLength(2);
      expect(outcome.plans.at(-1)).toMatchObject({
        steps: [],
        unserved: [{ id: 'nodes/not-ready', subject: worker, reason: 'tried already, without success' }],
      });
      const failed = outcome.applied.find(({ result }) => result === 'failed');
      expect(failed?.note).toContain(`${worker}: not Ready`);
    },
    patience,
  );

  test(
    'the time given is kept',
    async () => {
      const fake = await makeFakeWorld();
      fake.cluster.find(worker).kubelet.broken = true;
      fake.clock.advance(90_000);
      const outcome = await heal(fake, { timeoutMs: 30_000 });
      expect(outcome.verdict).toBe('remaining');
      expect((await readJournal(fake, outcome.run)).at(-1)).toMatchObject({ type: 'run-ended', verdict: 'remaining' });
    },
    patience,
  );

  test('an engine that goes away in the middle: what was done is known, the rest is not claimed', async () => {
    const fake = await crashed();
    const host = makeHost(['yes'], ({ code }) => {
      if (code === 'step-done') fake.die();
    });
    const outcome = await heal(fake, { host });
    expect(outcome.verdict).toBe('unknown');
    expect((await readJournal(fake, outcome.run)).at(-1)).toMatchObject({ type: 'run-ended', verdict: 'unknown' });
    fake.revive();
    expect(await heal(fake)).toMatchObject({ verdict: 'healed' });
  });
});

describe('one run at a time', () => {
  test('a second heal is refused, with the name of the first', async () => {
    const fake = await crashed();
    let second: unknown;
    const host = makeHost();
    const patient: Host = {
      ...host,
      ask: async (question, signal) => {
        second = await heal(fake).catch((error: unknown) => error);
        return await host.ask(question, signal);
      },
    };
    expect(await heal(fake, { host: patient })).toMatchObject({ verdict: 'healed' });
    expect(second).toBeInstanceOf(LockedError);
    expect(second).toMatchObject({ holder: { command: 'heal', pid: process.pid } });
  });

  test('a dry run may look meanwhile', async () => {
    const fake = await crashed();
    let preview: unknown;
    const host = makeHost();
    const patient: Host = {
      ...host,
      ask: async (question, signal) => {
        preview = await heal(fake, { dryRun: true });
        return await host.ask(question, signal);
      },
    };
    await heal(fake, { host: patient });
    expect(preview).toMatchObject({ verdict: 'planned' });
  });

  test('two clusters do not wait for each other', async () => {
    const fake = await crashed();
    const host = makeHost();
    let other: unknown;
    const patient: Host = {
      ...host,
      ask: async (question, signal) => {
        other = await healCluster(fake.world, `${cluster}-2`, {
          dryRun: false,
          only: [],
          maxRisk: 'disruptive',
          timeoutMs: 1000,
          host: makeHost(['no']),
          signal,
        }).catch((error: unknown) => error);
        return await host.ask(question, signal);
      },
    };
    await heal(fake, { host: patient });
    expect(other).not.toBeInstanceOf(LockedError);
  });
});

test('a run that ends by an error closes its journal', async () => {
  const fake = await crashed();
  const { clock } = fake.world.surroundings;
  const failing: FakeWorld = {
    ...fake,
    world: {
      ...fake.world,
      surroundings: {
        ...fake.world.surroundings,
        clock: {
          ...clock,
          now: () => {
            if (isBroken) throw new Error('the disk is gone');
            return clock.now();
          },
        },
      },
    },
  };
  let isBroken = false;
  const host = makeHost(['yes'], ({ code }) => {
    isBroken ||= code === 'step-started';
  });
  await expect(heal(failing, { host })).rejects.toThrow('the disk is gone');
  expect(await listOpenFiles(fake.dataFolder)).toEqual([]);
});

/** The files below a folder that this process has open; none where the platform does not tell. */
async function listOpenFiles(folder: string): Promise<string[]> {
  const { readlink } = await import('node:fs/promises');
  const descriptors = await readdir('/proc/self/fd').catch(() => []);
  const targets = await Promise.all(descriptors.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
  return targets.filter((target) => target.startsWith(folder));
}

async function stop(fake: FakeWorld, name: string): Promise<void> {
  if (fake.world.engine.ok) await fake.world.engine.engine.stopContainer(name, 0);
}
