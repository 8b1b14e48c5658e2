import { describe, expect, it } from 'vitest';
import { isReady, modifyObject, statusOf } from './objects.ts';
import { createTestCluster, type TestCluster } from './testing/test-cluster.ts';

const controlPlane = 'idp-control-plane';

async function createRunning(): Promise<TestCluster> {
  const test = createTestCluster({ workers: 2 });
  test.model.addWorkload('Deployment', { namespace: 'apps', name: 'web', image: 'x/web:1', replicas: 2, port: 80 });
  test.start();
  await test.until(() => test.pods('web').length === 2 && test.pods('').every(isReady), 120);
  return test;
}

function leaseOf(test: TestCluster, name: string) {
  return test.store.get('leases.coordination.k8s.io', 'kube-system', name)?.spec as {
    readonly holderIdentity: string;
    readonly renewTime: string;
  };
}

function breakConfig(test: TestCluster, component: string): () => void {
  const { files } = test.machine(controlPlane);
  const path = `/etc/kubernetes/${component}.conf`;
  const text = files.readText(path) ?? '';
  files.write(path, text.replace('172.18.0.2', '172.18.0.99'));
  return () => files.write(path, text);
}

function remove(test: TestCluster, name: string): void {
  test.store.remove('pods', 'apps', name);
}

describe('the controllers', () => {
  it('replace a pod that is gone, and follow readiness with endpoints', async () => {
    const test = await createRunning();
    const [pod] = test.pods('web');
    remove(test, pod?.metadata.name ?? '');
    await test.until(() => test.pods('web').length === 2 && test.pods('web').every(isReady), 20);
    await test.seconds(2);
    const endpoints = test.store.get('endpoints', 'apps', 'web')?.['subsets'] as { addresses: { ip: string }[] }[];
    const wanted = test.pods('web').map((one) => statusOf(one).podIP ?? '');
    expect(endpoints[0]?.addresses.map(({ ip }) => ip).sort()).toEqual(wanted.sort());
  });

  it('do nothing while their manager cannot reach its API server, though the API answers everybody else', async () => {
    const test = await createRunning();
    const mend = breakConfig(test, 'controller-manager');
    await test.stopComponent('kube-controller-manager');
    const { renewTime } = leaseOf(test, 'kube-controller-manager');
    remove(test, test.pods('web')[0]?.metadata.name ?? '');
    await test.seconds(120);
    expect(test.pods('web')).toHaveLength(1);
    expect(leaseOf(test, 'kube-controller-manager').renewTime).toBe(renewTime);
    expect(test.model.apiServerBehindPort()?.unready).toEqual([]);
    expect(test.container(controlPlane, 'kube-controller-manager')?.log.join('\n')).toMatch(
      /dial tcp 172\.18\.0\.99:6443: connect: no route to host/,
    );
    mend();
    const restart = test.processes(controlPlane).control('kubelet', 'restart');
    await test.until(() => test.pods('web').length === 2, 40);
    await restart;
  });

  it('wait for the old lease to run out: 15 s after a restart of the manager', async () => {
    const test = await createRunning();
    const before = leaseOf(test, 'kube-controller-manager').holderIdentity;
    await test.stopComponent('kube-controller-manager');
    const hasMoved = () => leaseOf(test, 'kube-controller-manager').holderIdentity !== before;
    const seconds = await test.until(hasMoved, 30);
    expect(seconds).toBeGreaterThan(10);
    expect(seconds).toBeLessThan(20);
  });

  it('end with their lease when the API server is away for more than 10 s', async () => {
    const test = await createRunning();
    const before = test.container(controlPlane, 'kube-controller-manager');
    test.machine(controlPlane).files.remove('/etc/kubernetes/manifests/kube-apiserver.yaml');
    await test.seconds(20);
    expect(before?.state).toBe('exited');
    expect(before?.log.join('\n')).toContain('leaderelection lost');
  });
});

describe('the scheduler', () => {
  it('leaves pods Pending while it is stopped, and binds them when it is back', async () => {
    const test = await createRunning();
    const mend = breakConfig(test, 'scheduler');
    await test.stopComponent('kube-scheduler');
    remove(test, test.pods('web')[0]?.metadata.name ?? '');
    await test.seconds(60);
    const pending = test.pods('web').filter((pod) => statusOf(pod).phase === 'Pending');
    expect(pending.map(({ spec }) => (spec as { nodeName?: string }).nodeName)).toEqual([undefined]);
    mend();
    const restart = test.processes(controlPlane).control('kubelet', 'restart');
    await test.until(() => test.pods('web').every(isReady), 60);
    await restart;
  });

  it('says why no node takes a pod', async () => {
    const test = await createRunning();
    test.model.addWorkload('Deployment', {
      namespace: 'apps',
      name: 'picky',
      image: 'x/picky:1',
      spec: { nodeSelector: { disk: 'fast' } },
    });
    await test.seconds(5);
    const condition = statusOf(
      test.pods('picky')[0] ?? { apiVersion: '', kind: '', metadata: { name: '' } },
    ).conditions?.find(({ type }) => type === 'PodScheduled');
    expect(condition).toMatchObject({
      status: 'False',
      reason: 'Unschedulable',
      message:
        "0/3 nodes are available: 1 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }, 2 node(s) didn't match Pod's node affinity/selector.",
    });
    modifyObject(test.store, 'nodes', undefined, 'idp-worker', (node) => ({
      ...node,
      metadata: { ...node.metadata, labels: { ...node.metadata.labels, disk: 'fast' } },
    }));
    await test.until(() => test.pods('picky').every(isReady), 10);
  });
});
