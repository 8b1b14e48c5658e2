import { describe, expect, it } from 'vitest';
import { createTestCluster, type TestCluster } from './testing/test-cluster.ts';
import type { Redirect } from './world.ts';

const names = ['idp-control-plane', 'idp-control-plane2', 'idp-control-plane3'] as const;
const [first, second, third] = names;
const balancer = 'idp-external-load-balancer';

async function createRunning(redirect?: Redirect): Promise<TestCluster> {
  const test = createTestCluster({ controlPlanes: 3, ...(redirect === undefined ? {} : { model: { redirect } }) });
  test.start();
  await test.until(() => names.every((name) => test.readyOf(name) === 'True'), 90);
  return test;
}

function isUp(test: TestCluster): boolean {
  const server = test.model.apiServerBehindPort();
  return server?.etcd === 'ok' && server.unready.length === 0;
}

/** Each control plane at the address of the next one. */
function swap(test: TestCluster): void {
  const [one, two, three] = [test.addressOf(first), test.addressOf(second), test.addressOf(third)];
  const rest = { [balancer]: test.addressOf(balancer) };
  test.crash();
  test.start({ ...rest, [first]: two, [second]: three, [third]: one });
}

describe('etcd with three members', { timeout: 30_000 }, () => {
  it('has its quorum back within 10 s of a start at the same addresses, and the API within 40 s', async () => {
    const test = await createRunning();
    const addresses = Object.fromEntries([...names, balancer].map((name) => [name, test.addressOf(name)]));
    test.crash();
    expect(test.model.etcdState().hasQuorum).toBe(false);
    test.start(addresses);
    expect(await test.until(() => test.model.etcdState().hasQuorum, 15)).toBeGreaterThan(2);
    await test.until(() => isUp(test), 40);
  });

  it('does not come back when the members have swapped their addresses', async () => {
    const test = await createRunning();
    swap(test);
    await test.seconds(600);
    expect(test.model.etcdState().hasQuorum).toBe(false);
    expect(names.every((name) => test.container(name, 'etcd')?.state === 'running')).toBe(true);
    expect(isUp(test)).toBe(false);
    expect(test.processes(first).etcdSnapshot().ok).toBe(false);
  });

  it('comes back within 10 s once every member is led from the old addresses to the new ones', async () => {
    const bridge = new Map<string, string>();
    const test = await createRunning((container, address, port) => {
      const target = bridge.get(`${container} ${address}`);
      return target === undefined ? undefined : { address: target, port };
    });
    const old = new Map(names.map((name) => [name, test.addressOf(name)]));
    swap(test);
    await test.seconds(120);
    const revision = test.store.revision;
    for (const from of names) {
      for (const to of names) if (from !== to) bridge.set(`${from} ${old.get(to) ?? ''}`, test.addressOf(to));
    }
    test.model.networkChanged();
    expect(await test.until(() => test.model.etcdState().hasQuorum, 10)).toBeLessThan(4);
    expect(test.store.revision).toBe(revision);

    for (const { id, name } of test.model.etcdState().members) {
      expect(test.model.updateEtcdMember(id, [`https://${name}:2380`])).toBe(true);
    }
    bridge.clear();
    test.model.networkChanged();
    expect(test.model.etcdState().hasQuorum).toBe(true);
    // From now on it outlives every shuffle by itself.
    await test.seconds(60);
    swap(test);
    await test.until(() => test.model.etcdState().hasQuorum, 30);
    await test.until(() => isUp(test), 400);
  });

  it('keeps its quorum with one member stopped, and loses it with the second', async () => {
    const test = await createRunning();
    test.stop(third);
    await test.seconds(5);
    expect(test.model.etcdState().hasQuorum).toBe(true);
    test.stop(second);
    expect(test.model.etcdState().hasQuorum).toBe(false);
    expect(test.model.apiServerAt(first)?.etcd).toBe('lost');
  });
});

describe('the load balancer', { timeout: 30_000 }, () => {
  it('leads nowhere while its files are empty, and to an API server as soon as they are written again', async () => {
    const test = await createRunning();
    const { files } = test.machine(balancer);
    const kept = ['/home/envoy/cds.yaml', '/home/envoy/lds.yaml'].map(
      (path) => [path, files.readText(path) ?? ''] as const,
    );
    for (const [path] of kept) files.write(path, '');
    expect(test.model.apiServerBehindPort()).toBeUndefined();
    expect(test.model.apiServerAt(second)).toBeDefined();
    for (const [path, text] of kept) files.write(path, text);
    expect(test.model.apiServerBehindPort()).toBeDefined();
    test.stop(first);
    expect(test.model.apiServerBehindPort()?.name).toBe(second);
  });
});

describe('etcd with one member', () => {
  it('begins an empty cluster where its data has been removed', async () => {
    const test = createTestCluster({ workers: 1 });
    test.start();
    await test.seconds(60);
    expect(test.pods('coredns')).toHaveLength(2);
    test.crash();
    test.machine(first).files.remove('/var/lib/etcd/member');
    test.start();
    await test.seconds(60);
    expect(test.pods('coredns')).toHaveLength(0);
    expect(test.readyOf('idp-worker')).not.toBe('missing');
  });

  it('panics over a database that a crash has cut', async () => {
    const test = createTestCluster({});
    test.start();
    await test.seconds(60);
    test.crash();
    test.machine(first).files.write('/var/lib/etcd/member/snap/db', '{"memb');
    test.start();
    await test.seconds(40);
    expect(test.container(first, 'etcd')?.log.join('\n')).toContain('failed to open database');
    expect(test.model.apiServerAt(first)).toBeUndefined();
  });
});
