import { describe, expect, it, vi } from 'vitest';
import { gatherNode } from '../../../src/engine/gather/node.ts';
import { readNode } from '../../../src/engine/gather/node-facts.ts';
import { openNode } from '../../../src/node/node.ts';
import { createNodeGuest } from './guest.ts';
import { currentImage } from './image.ts';
import { createFakeProcesses } from './testing/fake-processes.ts';
import { createTestCluster, interfacesOf, runIn, type TestCluster } from './testing/cluster.ts';

// Certificates are real ones, and the machine may have much else to do.
vi.setConfig({ testTimeout: 60_000 });

const signal = new AbortController().signal;

async function gather(cluster: TestCluster, name: string, role: 'control-plane' | 'worker') {
  const running = cluster.guest(name).machine.running();
  const node = openNode(cluster.engine, name, running);
  const question = { name, role, running, endpointName: 'dev-control-plane' };
  const { facts, adminConf } = await gatherNode(
    node,
    question,
    cluster.clock.asClock,
    signal,
    Promise.resolve(readNode),
  );
  if (!facts.ok) throw new Error(facts.reason);
  return { facts: facts.value, adminConf };
}

/** Every fact that could not be read, by the path to it. */
function listUnseen(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  if ('ok' in value && value.ok === false) return [`${path}: ${JSON.stringify(value)}`];
  return Object.entries(value).flatMap(([key, each]) => listUnseen(each, `${path}.${key}`));
}

describe('a node that the product looks at', () => {
  it('has an answer to every question on a control plane', async () => {
    const cluster = createTestCluster();
    await cluster.start('dev-control-plane', 2);
    const { facts, adminConf } = await gather(cluster, 'dev-control-plane', 'control-plane');
    expect(listUnseen(facts)).toEqual([]);
    expect(facts).toMatchObject({
      recordedIpv4: { value: '172.18.0.2' },
      entrypointRewritesKubeletConf: { value: true },
      interfaces: { value: [{ name: 'eth0', addresses: ['172.18.0.2', 'fc00:f853:ccd:e793::2'] }] },
      resolved: { 'dev-control-plane': { value: ['fc00:f853:ccd:e793::2', '172.18.0.2'] } },
      kubelet: { value: { activeState: 'active', subState: 'running', restarts: 0 } },
      leftovers: { value: [] },
      unreadFiles: {},
      clockAheadMs: { value: 0 },
    });
    expect(facts.addressSlots.map(({ address }) => address)).toEqual(facts.addressSlots.map(() => '172.18.0.2'));
    expect(facts.addressSlots).toHaveLength(16);
    const { apiserver } = facts.certificates;
    expect(apiserver.ok && apiserver.value.publicKeySha256).toBe(
      facts.apiserverKeySha256.ok && facts.apiserverKeySha256.value,
    );
    expect(adminConf).toContain('server: https://dev-control-plane:6443');
  });

  it('has an answer to every question on a worker', async () => {
    const cluster = createTestCluster();
    await cluster.start('dev-control-plane', 2);
    await cluster.start('dev-worker', 3);
    const { facts } = await gather(cluster, 'dev-worker', 'worker');
    // A worker is not asked these.
    const notAsked = /workers have none|not looked at/;
    expect(listUnseen(facts).filter((line) => !notAsked.test(line))).toEqual([]);
    expect(facts.kubeconfigs.kubelet).toMatchObject({ value: { host: 'dev-control-plane' } });
    expect(facts.resolved['dev-control-plane']).toMatchObject({
      ok: true,
      value: ['fc00:f853:ccd:e793::2', '172.18.0.2'],
    });
  });

  it('is read through the archive while it is stopped', async () => {
    const cluster = createTestCluster();
    const { facts } = await gather(cluster, 'dev-control-plane', 'control-plane');
    expect(facts.readBy).toBe('archive');
    expect(facts.recordedIpv4).toEqual({ ok: true, value: '172.18.0.2' });
    expect(facts.certificates.ca.ok).toBe(true);
  });
});

describe('the container', () => {
  it('runs the entrypoint and then systemd, on the clock', async () => {
    const cluster = createTestCluster();
    const guest = cluster.guest('dev-control-plane');
    await guest.boot(interfacesOf(7));
    expect(guest.files.readText('/kind/old-ipv4')).toBe('172.18.0.2');
    expect((await runIn(guest, ['systemctl', 'is-active', 'kubelet'])).stderr).toContain('Failed to connect to bus');
    await cluster.clock.advance(3000);
    expect(guest.files.readText('/kind/old-ipv4')).toBe('172.18.0.7');
    expect(cluster.processes.get('dev-control-plane')?.ups()).toBe(1);
    expect(await runIn(guest, ['systemctl', 'is-active', 'containerd', 'kubelet'])).toMatchObject({
      exitCode: 0,
      stdout: 'active\nactive\n',
    });
  });

  it('of a new node knows its address after the first boot', async () => {
    const { clock } = createTestCluster();
    const guest = createNodeGuest({
      context: { clock, random: () => 0.5, network: { resolve: () => undefined } },
      name: 'new-worker',
      cluster: 'new',
      role: 'worker',
      image: currentImage,
      processesOf: (machine) => createFakeProcesses(machine, () => clock.now()),
    });
    expect(await guest.boot(interfacesOf(5))).toBeUndefined();
    await clock.advance(3000);
    expect(guest.files.readText('/kind/old-ipv4')).toBe('172.18.0.5');
    expect(guest.files.readText('/etc/resolv.conf')).toContain('nameserver 172.18.0.1\n');
  });

  it('is cut where it is killed in the middle of the boot', async () => {
    const cluster = createTestCluster();
    const guest = cluster.guest('dev-control-plane');
    await guest.boot(interfacesOf(7));
    await cluster.clock.advance(480);
    guest.halt();
    const before = guest.files.walk('/').map(({ path, entry }) => [path, entry.contents.toString('base64')]);
    await cluster.clock.advance(10_000);
    expect(guest.files.walk('/').map(({ path, entry }) => [path, entry.contents.toString('base64')])).toEqual(before);
    expect(guest.files.readText('/etc/kubernetes/manifests/etcd.yaml')).toContain('172.18.0.7');
    expect(guest.files.readText('/kind/old-ipv4')).toBe('172.18.0.2');
    expect(cluster.processes.get('dev-control-plane')).toMatchObject({ calls: [] });
    expect(cluster.processes.get('dev-control-plane')?.ups()).toBe(0);
  });

  it('ends with 1 where it has no address and had one', async () => {
    const cluster = createTestCluster();
    const guest = cluster.guest('dev-worker');
    expect(await guest.boot([])).toBe(1);
    expect(guest.machine.running()).toBe(false);
    await cluster.clock.advance(10_000);
    expect(cluster.processes.get('dev-worker')?.ups()).toBe(0);
  });

  it('loses what lies in memory and keeps its layer and volumes', async () => {
    const cluster = createTestCluster();
    const guest = cluster.guest('dev-worker');
    await cluster.start('dev-worker', 3);
    for (const path of ['/run/a', '/tmp/b/c', '/var/lib/d', '/root/e']) guest.files.write(path, 'x');
    guest.halt();
    expect(['/run', '/tmp', '/var/lib/d', '/root/e'].map((path) => guest.files.walk(path).length)).toEqual([
      1, 1, 1, 1,
    ]);
    expect(cluster.processes.get('dev-worker')?.downs()).toBe(1);
    expect(guest.machine.interfaces()).toEqual([]);
  });

  it('is known by its new addresses once they have changed while it runs', async () => {
    const cluster = createTestCluster();
    const guest = cluster.guest('dev-worker');
    await cluster.start('dev-worker', 3);
    guest.readdress(interfacesOf(9).map((one) => ({ ...one, device: 'eth1' })));
    expect((await runIn(guest, ['getent', 'ahostsv4', 'dev-worker'])).stdout).toMatch(
      /^172\.18\.0\.9 +STREAM dev-worker\n/,
    );
    expect((await runIn(guest, ['ip', '-4', 'address'])).stdout).toContain('inet 172.18.0.9/16 scope global eth1');
    expect(guest.files.readText('/kind/old-ipv4')).toBe('172.18.0.3');
  });

  it.each([
    ['envoy-v0.32', ''],
    ['envoy', 'dev-control-plane2'],
  ] as const)('of a load balancer of the %s era keeps its configuration or loses it', async (loadBalancer, kept) => {
    const cluster = createTestCluster({ controlPlanes: 2, image: { loadBalancer } });
    const guest = cluster.guest('dev-external-load-balancer');
    // kind fills the files after the first start.
    await cluster.start('dev-external-load-balancer', 2);
    expect(guest.files.readText('/home/envoy/cds.yaml')).toContain('dev-control-plane2');
    guest.halt();
    await cluster.start('dev-external-load-balancer', 2);
    const text = guest.files.readText('/home/envoy/cds.yaml');
    expect(kept === '' ? text : text?.includes(kept)).toBe(kept === '' ? '' : true);
  });
});
