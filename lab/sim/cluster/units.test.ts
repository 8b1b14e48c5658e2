import { describe, expect, it } from 'vitest';
import { createTestCluster } from './testing/test-cluster.ts';

const controlPlane = 'idp-control-plane';

describe('the units of a node', () => {
  it('are active within 4 s of the end of the entrypoint; the kubelet ends once, for containerd is not there yet', async () => {
    const test = createTestCluster({});
    test.start();
    const processes = test.processes(controlPlane);
    await test.until(() => processes.unit('containerd').activeState === 'active', 4);
    await test.until(() => processes.unit('kubelet').activeState === 'active', 3);
    expect(processes.unit('kubelet').restarts).toBe(1);
    expect(processes.journal('kubelet').join('\n')).toContain('containerd.sock');
  });

  it('start the kubelet again every second while kubelet.conf is empty, and stop counting once it is whole', async () => {
    const test = createTestCluster({});
    const { files } = test.machine(controlPlane);
    const text = files.readText('/etc/kubernetes/kubelet.conf') ?? '';
    files.write('/etc/kubernetes/kubelet.conf', '');
    test.start();
    await test.seconds(20);
    const broken = test.processes(controlPlane).unit('kubelet');
    expect(broken.restarts).toBeGreaterThan(5);
    expect(test.processes(controlPlane).journal('kubelet').join('\n')).toContain(
      'failed to run Kubelet: unable to load bootstrap kubeconfig',
    );
    files.write('/etc/kubernetes/kubelet.conf', text);
    await test.seconds(3);
    const { activeState, restarts } = test.processes(controlPlane).unit('kubelet');
    await test.seconds(20);
    expect(activeState).toBe('active');
    expect(test.processes(controlPlane).unit('kubelet').restarts).toBe(restarts);
  });

  it('leave a kubelet without config.yaml inactive, as the condition of its unit says', async () => {
    const test = createTestCluster({});
    test.machine(controlPlane).files.remove('/var/lib/kubelet/config.yaml');
    test.start();
    await test.seconds(10);
    expect(test.processes(controlPlane).unit('kubelet')).toMatchObject({ activeState: 'inactive', restarts: 0 });
  });

  it('leave containers alone when the kubelet is restarted', async () => {
    const test = createTestCluster({});
    test.start();
    await test.seconds(60);
    const before = test.container(controlPlane, 'kube-apiserver');
    const restart = test.processes(controlPlane).control('kubelet', 'restart');
    await test.seconds(30);
    await restart;
    expect(test.container(controlPlane, 'kube-apiserver')?.id).toBe(before?.id);
    expect(before?.state).toBe('running');
  });

  it('answer no question about containers while containerd is stopped', async () => {
    const test = createTestCluster({});
    test.start();
    await test.seconds(30);
    const stop = test.processes(controlPlane).control('containerd', 'stop');
    await test.seconds(1);
    await stop;
    expect(test.processes(controlPlane).containers()).toBeUndefined();
    expect(test.model.apiServerAt(controlPlane)).toBeDefined();
  });
});
