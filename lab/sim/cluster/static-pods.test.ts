import { describe, expect, it } from 'vitest';
import { createTestCluster, type TestCluster } from './testing/test-cluster.ts';

const controlPlane = 'idp-control-plane';
const manifests = '/etc/kubernetes/manifests';

async function createRunning(): Promise<TestCluster> {
  const test = createTestCluster({});
  test.start();
  await test.seconds(60);
  return test;
}

function edit(test: TestCluster, file: string, from: string, to: string): void {
  const { files } = test.machine(controlPlane);
  files.write(`${manifests}/${file}`, (files.readText(`${manifests}/${file}`) ?? '').replaceAll(from, to));
}

describe('static pods', () => {
  it('start anew within 4 s of a change of their manifest, as another pod', async () => {
    const test = await createRunning();
    const before = test.container(controlPlane, 'kube-scheduler');
    edit(test, 'kube-scheduler.yaml', '--leader-elect=true', '--leader-elect=true\n    - --v=2');
    await test.until(() => test.container(controlPlane, 'kube-scheduler')?.podUid !== before?.podUid, 4);
    expect(test.container(controlPlane, 'kube-scheduler')).toMatchObject({ state: 'running', attempt: 0 });
  });

  it('end when their file goes, mirror pod included', async () => {
    const test = await createRunning();
    expect(test.pods('kube-scheduler')).toHaveLength(1);
    test.machine(controlPlane).files.remove(`${manifests}/kube-scheduler.yaml`);
    await test.seconds(5);
    expect(test.container(controlPlane, 'kube-scheduler')?.state).not.toBe('running');
    expect(test.pods('kube-scheduler')).toHaveLength(0);
  });

  it('wait 10, 20, 40 s between starts of what falls, until the kubelet is restarted', async () => {
    const test = await createRunning();
    test.machine(controlPlane).files.remove('/etc/kubernetes/pki/apiserver.crt');
    await test.stopComponent('kube-apiserver');
    await test.seconds(2);
    const starts: number[] = [];
    let last = '';
    for (let at = 0; at < 100_000; at += 200) {
      const container = test.container(controlPlane, 'kube-apiserver');
      if (container !== undefined && container.id !== last) starts.push(container.createdAt);
      last = container?.id ?? last;
      await test.clock.advance(200);
    }
    const gaps = starts.slice(1).map((time, index) => Math.round((time - (starts[index] ?? 0)) / 1000));
    expect(gaps.slice(0, 3).map((gap) => Math.round(gap / 10) * 10)).toEqual([10, 20, 40]);
    const count = test.container(controlPlane, 'kube-apiserver')?.attempt ?? 0;
    const restart = test.processes(controlPlane).control('kubelet', 'restart');
    await test.seconds(3);
    await restart;
    expect(test.container(controlPlane, 'kube-apiserver')?.attempt).toBeGreaterThan(count);
    expect(test.container(controlPlane, 'kube-apiserver')?.log.join('\n')).toContain(
      'open /etc/kubernetes/pki/apiserver.crt: no such file or directory',
    );
  });

  it('are killed after 250 s where their probe names an address that the node has not', async () => {
    const test = await createRunning();
    edit(test, 'kube-apiserver.yaml', 'host: 172.18.0.2', 'host: 172.18.0.99');
    await test.seconds(5);
    const first = test.container(controlPlane, 'kube-apiserver');
    await test.until(() => test.model.apiServerAt(controlPlane)?.unready.length === 0, 20);
    await test.until(() => test.container(controlPlane, 'kube-apiserver')?.id !== first?.id, 260);
    const lived = ((first?.finishedAt ?? 0) - (first?.createdAt ?? 0)) / 1000;
    expect(lived).toBeGreaterThan(235);
    expect(lived).toBeLessThan(255);
  });

  it('that cannot bind their address fall over and over: etcd with an address of another node', async () => {
    const test = await createRunning();
    edit(test, 'etcd.yaml', '172.18.0.2', '172.18.0.99');
    await test.seconds(60);
    expect(test.container(controlPlane, 'etcd')?.log.join('\n')).toContain(
      'listen tcp 172.18.0.99:2380: bind: cannot assign requested address',
    );
    expect(test.model.etcdState().hasQuorum).toBe(false);
    expect(test.model.apiServerAt(controlPlane)?.etcd ?? 'gone').not.toBe('ok');
  });

  it('wait 34 s for an API server without etcd, but not once that server is ended', async () => {
    const test = await createRunning();
    edit(test, 'etcd.yaml', '172.18.0.2', '172.18.0.99');
    await test.seconds(20);
    expect(test.model.apiServerAt(controlPlane)?.etcd).toBe('lost');
    edit(test, 'etcd.yaml', '172.18.0.99', '172.18.0.2');
    edit(test, 'etcd.yaml', '--snapshot-count=10000', '--snapshot-count=10001');
    await test.seconds(20);
    expect(test.container(controlPlane, 'etcd')?.state).not.toBe('running');
    await test.stopComponent('kube-apiserver');
    const restart = test.processes(controlPlane).control('kubelet', 'restart');
    await test.seconds(3);
    await restart;
    expect(test.container(controlPlane, 'etcd')?.state).toBe('running');
    await test.until(() => test.model.apiServerAt(controlPlane)?.unready.length === 0, 30);
  });

  it('whose manifest changed while the kubelet was away may stay down until it is started once more', async () => {
    const test = createTestCluster({ model: { chances: { staticPodRace: 1 } } });
    test.start();
    await test.seconds(60);
    const processes = test.processes(controlPlane);
    const control = async (verb: 'stop' | 'start' | 'restart') => {
      const done = processes.control('kubelet', verb);
      await test.seconds(1);
      await done;
    };
    await control('stop');
    edit(test, 'kube-scheduler.yaml', '--leader-elect=true', '--leader-elect=true\n    - --v=2');
    await control('start');
    await test.seconds(120);
    expect(test.container(controlPlane, 'kube-scheduler')?.state).not.toBe('running');
    await control('restart');
    await test.seconds(5);
    expect(test.container(controlPlane, 'kube-scheduler')?.state).toBe('running');
  });
});
