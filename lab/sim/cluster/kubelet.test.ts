import { describe, expect, it } from 'vitest';
import type { NodeImage } from '../node/image.ts';
import { internalIpOf } from './node-status.ts';
import { createTestCluster, type TestCluster } from './testing/test-cluster.ts';

const controlPlane = 'idp-control-plane';
const oldImage: NodeImage = { entrypoint: 'before-v0.30', kubernetes: 'v1.34.4', loadBalancer: 'envoy' };
const shuffled = { [controlPlane]: '172.18.0.4', 'idp-worker': '172.18.0.2', 'idp-worker2': '172.18.0.3' };

async function crashAndShuffle(image?: NodeImage): Promise<TestCluster> {
  const test = createTestCluster({ workers: 2, ...(image === undefined ? {} : { image }) });
  test.start();
  await test.seconds(90);
  test.crash();
  await test.seconds(5);
  test.start(shuffled);
  return test;
}

describe('a kubelet after a shuffle', () => {
  it('is Ready at its new address within 20 s where the entrypoint mends kubelet.conf', async () => {
    const test = await crashAndShuffle();
    const hasAddress = (name: string) =>
      internalIpOf(test.store.get('nodes', undefined, name)) === test.addressOf(name) && test.readyOf(name) === 'True';
    const seconds = await test.until(() => Object.keys(shuffled).every(hasAddress), 20);
    expect(seconds).toBeGreaterThan(6);
  });

  it('of an old image dials the old address: NotReady after about 70 s, and back about a second after its mending', async () => {
    const test = await crashAndShuffle(oldImage);
    await test.seconds(55);
    expect(test.readyOf(controlPlane)).toBe('True');
    await test.until(() => test.readyOf(controlPlane) === 'Unknown', 30);
    expect(test.readyOf('idp-worker')).toBe('True');
    expect(test.model.apiServerBehindPort()?.unready).toEqual([]);
    const journal = test.processes(controlPlane).journal('kubelet').join('\n');
    expect(journal).toContain('dial tcp 172.18.0.2:6443: connect: connection refused');

    const { files } = test.machine(controlPlane);
    const text = files.readText('/etc/kubernetes/kubelet.conf') ?? '';
    files.write('/etc/kubernetes/kubelet.conf', text.replace('172.18.0.2', '172.18.0.4'));
    await test.seconds(30);
    expect(test.readyOf(controlPlane)).toBe('Unknown');
    const restart = test.processes(controlPlane).control('kubelet', 'restart');
    expect(await test.until(() => test.readyOf(controlPlane) === 'True', 5)).toBeLessThan(3);
    await restart;
  });

  it('says "no route to host" where nobody has the old address now', async () => {
    const test = createTestCluster({ image: oldImage });
    test.start();
    await test.seconds(60);
    test.crash();
    test.start({ [controlPlane]: '172.18.0.9' });
    await test.seconds(30);
    expect(test.processes(controlPlane).journal('kubelet').join('\n')).toContain(
      'dial tcp 172.18.0.2:6443: connect: no route to host',
    );
  });

  it('refuses an API server whose certificate does not name the dialled address', async () => {
    const test = createTestCluster({ image: oldImage });
    test.start();
    await test.seconds(60);
    const { files } = test.machine(controlPlane);
    const certificate = files.read('/etc/kubernetes/pki/apiserver.crt') ?? '';
    const key = files.read('/etc/kubernetes/pki/apiserver.key') ?? '';
    test.crash();
    test.start({ [controlPlane]: '172.18.0.9' });
    await test.seconds(2);
    files.write('/etc/kubernetes/pki/apiserver.crt', certificate);
    files.write('/etc/kubernetes/pki/apiserver.key', key);
    const text = files.readText('/etc/kubernetes/kubelet.conf') ?? '';
    files.write('/etc/kubernetes/kubelet.conf', text.replace('172.18.0.2', '172.18.0.9'));
    await test.seconds(30);
    expect(test.processes(controlPlane).journal('kubelet').join('\n')).toMatch(
      /x509: certificate is valid for 10\.96\.0\.1, 172\.18\.0\.2, 127\.0\.0\.1, not 172\.18\.0\.9/,
    );
  });
});

describe('a silent kubelet', () => {
  it('makes its node NotReady 40-50 s after its last lease, and its pods are evicted 300 s later', async () => {
    const test = createTestCluster({ workers: 2 });
    test.model.addWorkload('Deployment', { namespace: 'apps', name: 'web', image: 'x/web:1', replicas: 4 });
    test.start();
    await test.seconds(90);
    const lost = test.pods('web').filter(({ spec }) => (spec as { nodeName?: string }).nodeName === 'idp-worker');
    expect(lost.length).toBeGreaterThan(0);
    test.stop('idp-worker');
    const last = test.store.get('leases.coordination.k8s.io', 'kube-node-lease', 'idp-worker')?.spec as {
      renewTime: string;
    };
    await test.until(() => test.readyOf('idp-worker') === 'Unknown', 60);
    const silence = (test.clock.now() - Date.parse(last.renewTime)) / 1000;
    expect(silence).toBeGreaterThan(40);
    expect(silence).toBeLessThan(50);
    await test.seconds(290);
    expect(test.pods('web').some(({ metadata }) => metadata.deletionTimestamp !== undefined)).toBe(false);
    await test.seconds(60);
    // Terminating for ever on the dead node, and replaced elsewhere.
    const terminating = test.pods('web').filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
    expect(terminating.map(({ metadata }) => metadata.name).sort()).toEqual(
      lost.map(({ metadata }) => metadata.name).sort(),
    );
    expect(test.pods('web')).toHaveLength(4 + lost.length);
    test.start();
    await test.until(() => test.pods('web').length === 4, 60);
  });

  it('stays Ready with a stale INTERNAL-IP when its address changes under it', async () => {
    const test = createTestCluster({ workers: 1 });
    test.start();
    await test.seconds(60);
    test.readdress('idp-worker', '172.18.0.77', 'eth1');
    await test.seconds(120);
    expect(test.readyOf('idp-worker')).toBe('True');
    expect(internalIpOf(test.store.get('nodes', undefined, 'idp-worker'))).toBe('172.18.0.3');
    expect(test.processes('idp-worker').journal('kubelet').join('\n')).toContain('failed to validate nodeIP');
  });

  it('counts restarts of the pods of a node that came back', async () => {
    const test = createTestCluster({ workers: 1 });
    test.start();
    await test.seconds(60);
    test.crash();
    test.start();
    await test.seconds(60);
    const statuses = test
      .pods('kube-proxy')
      .map(({ status }) => status as { containerStatuses: { restartCount: number; lastState: object }[] });
    for (const { containerStatuses } of statuses) {
      expect(containerStatuses[0]).toMatchObject({
        restartCount: 1,
        lastState: { terminated: { exitCode: 255, reason: 'Unknown' } },
      });
    }
  });
});
