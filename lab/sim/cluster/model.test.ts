import { describe, expect, it } from 'vitest';
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
