import { describe, expect, it } from 'vitest';
import { planCertificatePhase } from '../node/pki/kubeadm-certs.ts';
import { isReady } from './objects.ts';
import { createTestCluster } from './testing/test-cluster.ts';

const controlPlane = 'idp-control-plane';

describe('a cluster that starts', () => {
  it('has all nodes Ready and all pods of the system running within 40 s of its first start', async () => {
    const test = createTestCluster({ workers: 2 });
    test.start();
    await test.until(
      () => ['idp-worker', 'idp-worker2', controlPlane].every((name) => test.readyOf(name) === 'True'),
      40,
    );
    await test.until(() => test.pods('coredns').length === 2 && test.pods('').every(isReady), 60);
    expect(test.pods('kube-proxy')).toHaveLength(3);
    expect(test.pods('kindnet')).toHaveLength(3);
    expect(test.pods('kube-apiserver-idp-control-plane')).toHaveLength(1);
    expect(test.model.apiServerBehindPort()?.name).toBe(controlPlane);
    expect(test.model.etcdState().hasQuorum).toBe(true);
  });
});

describe('an API server that runs', () => {
  const certificate = '/etc/kubernetes/pki/apiserver.crt';
  const key = '/etc/kubernetes/pki/apiserver.key';

  it('serves a new certificate without a restart, and keeps the old one while the files do not fit', async () => {
    const test = createTestCluster({});
    test.start();
    await test.until(() => test.readyOf(controlPlane) === 'True', 40);
    const { files } = test.machine(controlPlane);
    const before = test.model.apiServerAt(controlPlane)?.certificatePem;
    files.remove(key);
    files.remove(certificate);
    await test.seconds(5);
    expect(test.model.apiServerAt(controlPlane)?.certificatePem).toBe(before);
    const made = planCertificatePhase(files, {
      phase: 'apiserver',
      config: '/kind/kubeadm.conf',
      hostname: controlPlane,
      now: test.clock.now(),
    });
    if (!made.ok) throw new Error(made.reason);
    for (const { path, text } of made.writes) files.write(path, text);
    await test.seconds(1);
    expect(test.model.apiServerAt(controlPlane)?.certificatePem).toBe(files.readText(certificate));
    expect(files.readText(certificate)).not.toBe(before);
  });
});
