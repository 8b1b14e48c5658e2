import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadSimulation } from './testing/simulation.ts';

/** Real milliseconds on a busy machine. */
const patience = 60_000;
const anHour = 3_600_000;
const { setSimStage } = await loadSimulation();

let stage: Awaited<ReturnType<typeof setSimStage>>;
beforeAll(async () => {
  stage = await setSimStage({ seed: 1, profile: 'workers', entrypoint: 'current' });
}, patience);
afterAll(() => stage.close());

interface Kubeconfig {
  readonly clusters: readonly [{ readonly cluster: Readonly<Record<string, string>> }];
  readonly users: readonly [{ readonly user: Readonly<Record<string, string>> }];
}

/** As `kubectl logs` asks for it. */
async function readLog(pod: string, query = ''): Promise<{ status: number | undefined; body: string }> {
  const { clusters, users } = parse(stage.simCluster.kubeconfig()) as Kubeconfig;
  const [{ cluster }, { user }] = [clusters[0], users[0]];
  const decode = (data: string | undefined) => Buffer.from(data ?? '', 'base64');
  const asked = new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
    const credentials = {
      ca: decode(cluster['certificate-authority-data']),
      cert: decode(user['client-certificate-data']),
      key: decode(user['client-key-data']),
    };
    request(`${cluster['server']}/api/v1/namespaces/kube-system/pods/${pod}/log${query}`, credentials, (response) => {
      void text(response).then((body) => resolve({ status: response.statusCode, body }), reject);
    })
      .on('error', reject)
      .end();
  });
  return await stage.world.driver.run(asked, anHour);
}

function findPod(prefix: string): string {
  const found = stage.simCluster.store.list('pods').find(({ metadata }) => metadata.name.startsWith(prefix));
  if (found === undefined) throw new Error(`there is no pod ${prefix}`);
  return found.metadata.name;
}

describe('the API server gives a pod’s log', () => {
  test.each(['kube-proxy-', 'etcd-'])('of %s', async (prefix) => {
    const { status, body } = await readLog(findPod(prefix));
    expect(status).toBe(200);
    expect(body.trim()).not.toBe('');
  });

  test('of the attempt before, where there is one', async () => {
    const { status, body } = await readLog(findPod('coredns-'), '?previous=true');
    expect(status).toBe(400);
    expect(body).toContain('previous terminated container');
    expect(body).toContain('not found');
  });

  test('unless its kubelet is stopped', async () => {
    const name = 'idp-mvp-worker';
    const pod = stage.simCluster.store
      .list('pods')
      .find(({ spec }) => (spec as { readonly nodeName?: string }).nodeName === name)?.metadata.name;
    if (pod === undefined) throw new Error('nothing runs there');
    expect(await readLog(pod)).toMatchObject({ status: 200 });
    await stage.world.driver.run(
      stage.cluster.lab.run(['docker', 'exec', name, 'systemctl', 'stop', 'kubelet']),
      anHour,
    );
    const { status, body } = await readLog(pod);
    expect(status).toBe(500);
    expect(body).toContain('the kubelet does not answer');
  });
});
