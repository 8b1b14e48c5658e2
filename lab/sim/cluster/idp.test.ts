import { describe, expect, it } from 'vitest';
import { isReady, statusOf, modifyObject } from './objects.ts';
import { createTestCluster, type TestCluster } from './testing/test-cluster.ts';
import { idpHosts } from './workloads/idp.ts';

const limit = 'fs.inotify.max_user_instances';

async function createSite(): Promise<TestCluster> {
  const test = createTestCluster({ workers: 2 });
  test.model.addIdpWorkloads();
  test.start();
  await test.until(() => idpHosts.every(({ host }) => test.model.urlStatus(host) === 200), 120, 'every URL');
  return test;
}

async function createCrashed(): Promise<TestCluster> {
  const test = await createSite();
  test.crash();
  test.model.leakInotifyInstances(90);
  test.start();
  return test;
}

function waitingOf(test: TestCluster, prefix: string): unknown[] {
  return test.pods(prefix).map((pod) => {
    const state = statusOf(pod).containerStatuses?.[0]?.['state'] as { waiting?: { reason: string } } | undefined;
    return state?.waiting?.reason;
  });
}

describe('the demonstration site', () => {
  it('answers on all its hosts, and has one workload that crashes from the beginning', async () => {
    const test = await createSite();
    expect(test.pods('ingress-nginx').map(({ spec }) => (spec as { nodeName: string }).nodeName)).toEqual([
      'idp-control-plane',
    ]);
    await test.seconds(30);
    expect(waitingOf(test, 'catalog-exporter')).toEqual(['CrashLoopBackOff']);
    expect(test.model.urlStatus('nobody.idp.local')).toBe(404);
  });

  it('refuses connections while the containers are stopped, then is partly back by itself', async () => {
    const test = await createSite();
    test.crash();
    expect(test.model.urlStatus('grafana.idp.local')).toBe('refused');
    test.start();
    expect(await test.until(() => test.model.urlStatus('grafana.idp.local') === 200, 60)).toBeGreaterThan(8);
  });

  it('has kube-proxy end with too many open files until the limit is raised and the pod started again', async () => {
    const test = await createCrashed();
    await test.seconds(120);
    expect(waitingOf(test, 'kube-proxy')).toEqual(['CrashLoopBackOff', 'CrashLoopBackOff', 'CrashLoopBackOff']);
    expect(test.container('idp-worker', 'kube-proxy')?.log.join('\n')).toContain(
      'failed complete: too many open files',
    );
    expect(test.pods('coredns').some(isReady)).toBe(false);
    test.sysctl.set(limit, '1024');
    for (const { metadata } of test.pods('kube-proxy')) test.store.remove('pods', 'kube-system', metadata.name);
    await test.until(() => test.pods('kube-proxy').length === 3 && test.pods('kube-proxy').every(isReady), 20);
    await test.until(() => test.pods('coredns').every(isReady), 20);
  });

  it('kills kagent in the middle of its migrations for ever, until its startup probe has more patience', async () => {
    const test = await createCrashed();
    test.sysctl.set(limit, '1024');
    await test.seconds(600);
    expect(test.model.urlStatus('kagent.idp.local')).toBe(503);
    const [pod] = test.pods('kagent-controller');
    expect(
      statusOf(pod ?? { apiVersion: '', kind: '', metadata: { name: '' } }).containerStatuses?.[0]?.restartCount,
    ).toBeGreaterThan(3);
    modifyObject(test.store, 'deployments.apps', 'kagent', 'kagent-controller', (deployment) =>
      JSON.parse(JSON.stringify(deployment).replace('"failureThreshold":6', '"failureThreshold":12')),
    );
    const seconds = await test.until(() => test.model.urlStatus('kagent.idp.local') === 200, 200);
    expect(seconds).toBeGreaterThan(90);
    expect(seconds).toBeLessThan(120);
  });
});
