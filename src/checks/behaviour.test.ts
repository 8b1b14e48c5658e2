import { describe, expect, test } from 'vitest';
import { diagnose } from '../engine/diagnose.ts';
import type { Facts } from '../facts/facts.ts';
import { seen, unseen } from '../facts/observed.ts';
import {
  silence,
  stopContainer,
  withApi,
  withApiNode,
  withComponent,
  withContainer,
  withEveryNode,
  withKubeconfig,
  withNode,
  withoutApi,
} from '../facts/testing/changes.ts';
import {
  controlPlane,
  gatheredAt,
  highlyAvailable,
  makeFacts,
  secondsBefore,
  withWorkers,
  worker,
} from '../facts/testing/facts.ts';

const healthy = makeFacts(withWorkers);

function find(facts: Facts, id: string) {
  return diagnose(facts).findings.filter((finding) => finding.id === id);
}

function withControllerLease(facts: Facts, renewedAt: string): Facts {
  return withApi(facts, (api) => ({
    ...api,
    controllerManagerLease: seen({ holder: `${controlPlane}_1`, renewedAt }),
  }));
}

describe('the kubeconfig of this host', () => {
  const missing = {
    state: 'missing',
    contextPresent: false,
    userPresent: false,
    server: null,
    caSha256: null,
  } as const;

  test('no file: a warning only, since the cluster may be meant for another one', () => {
    const facts = withKubeconfig(healthy, missing);
    expect(find(facts, 'host/kubeconfig-stale')).toMatchObject([
      { severity: 'warning', summary: expect.stringContaining('there is no /home/ada/.kube/config') },
    ]);
    expect(diagnose(facts).verdict).toBe('degraded');
  });

  test('a file without the context: likewise', () => {
    expect(find(withKubeconfig(healthy, { ...missing, state: 'readable' }), 'host/kubeconfig-stale')).toMatchObject([
      { severity: 'warning', summary: expect.stringContaining('has no context kind-idp-mvp') },
    ]);
  });

  test.each([
    ['another port', { server: 'https://127.0.0.1:1' }, 'its server is https://127.0.0.1:1'],
    ['no server', { server: null }, 'its server is missing'],
    ["another cluster's authority", { caSha256: 'f'.repeat(64) }, "its certificate authority is not this cluster's"],
    ['no authority', { caSha256: null }, 'it has no certificate authority'],
    ['no user', { userPresent: false }, 'its user is missing'],
  ])('%s: an error', (_name, change, told) => {
    const facts = withKubeconfig(healthy, change);
    expect(find(facts, 'host/kubeconfig-stale')).toMatchObject([
      { severity: 'error', summary: expect.stringContaining(told) },
    ]);
    expect(diagnose(facts).verdict).toBe('broken');
  });

  test.each(['invalid', 'unreadable'] as const)('%s: one finding, not two', (state) => {
    const { findings, skipped } = diagnose(
      withKubeconfig(healthy, { ...missing, state, reason: 'line 3, column 5: tabs are not allowed' }),
    );
    expect(findings.map(({ id }) => id)).toEqual(['host/kubeconfig-invalid']);
    expect(findings[0]?.summary).toContain('line 3, column 5: tabs are not allowed');
    expect(skipped).toEqual([{ check: 'host/kubeconfig-stale', reason: 'line 3, column 5: tabs are not allowed' }]);
  });

  test('nothing published to compare with is unknown, not healthy', () => {
    expect(diagnose(withKubeconfig(healthy, { expectedServer: null })).verdict).toBe('unknown');
  });

  test('the same port by the name localhost leads to the cluster as well', () => {
    expect(find(withKubeconfig(healthy, { server: 'https://localhost:41783' }), 'host/kubeconfig-stale')).toEqual([]);
  });
});

describe('a lease that stands still', () => {
  test('is told with its age and its holder', () => {
    const [finding] = find(withControllerLease(healthy, secondsBefore(46)), 'control-plane/controllers-stalled');
    expect(finding).toMatchObject({
      subject: 'kube-controller-manager',
      summary: 'kube-controller-manager has not renewed its lease for 46 s',
    });
    expect(finding?.evidence[0]).toContain(`held by ${controlPlane}_1`);
  });

  test('is told of a component that has only just been started as well: until its lease moves, nothing does', () => {
    const stalled = withControllerLease(healthy, secondsBefore(300));
    const started = withComponent(stalled, 'kube-controller-manager', 'running', secondsBefore(10));
    expect(find(started, 'control-plane/controllers-stalled')[0]?.evidence).toContain(
      `${controlPlane}: its newest container is running, made 10 s before this look`,
    );
  });

  test('is told of a component that ended while its lease is still young', () => {
    const ended = withComponent(healthy, 'kube-controller-manager', 'exited', secondsBefore(600));
    expect(find(ended, 'control-plane/controllers-stalled')[0]?.summary).toMatch(
      /^kube-controller-manager does not run/,
    );
  });

  test('ends at a boundary that is above what a change of leaders takes', () => {
    expect(find(withControllerLease(healthy, secondsBefore(20)), 'control-plane/controllers-stalled')).toEqual([]);
  });
});

describe("the engine's clock", () => {
  /** The virtual machine's clock goes ahead of this host's: all its times lie in the host's future. */
  function ahead(facts: Facts, seconds: number): Facts {
    const later = (time: string) => new Date(Date.parse(time) + seconds * 1000).toISOString();
    const shifted = withEveryNode(facts, (node) => ({
      ...node,
      clockAheadMs: seen(seconds * 1000),
      components: node.components.ok
        ? seen(node.components.value.map((one) => ({ ...one, createdAt: later(one.createdAt) })))
        : node.components,
    }));
    return withApi(shifted, (api) => ({
      ...api,
      nodes: api.nodes.map((node) => ({
        ...node,
        leaseRenewedAt: node.leaseRenewedAt === null ? null : later(node.leaseRenewedAt),
      })),
      controllerManagerLease: api.controllerManagerLease.ok
        ? seen({ ...api.controllerManagerLease.value, renewedAt: later(api.controllerManagerLease.value.renewedAt) })
        : api.controllerManagerLease,
      schedulerLease: api.schedulerLease.ok
        ? seen({ ...api.schedulerLease.value, renewedAt: later(api.schedulerLease.value.renewedAt) })
        : api.schedulerLease,
    }));
  }

  test.each([3600, -3600])('%s s ahead of this host: ages are reckoned by the engine', (seconds) => {
    expect(diagnose(ahead(healthy, seconds)).verdict).toBe('healthy');
    const [silent] = find(ahead(silence(healthy, worker, 95), seconds), 'nodes/not-ready');
    expect(silent?.evidence).toContain('lease renewed 95 s before this look');
    const stalled = ahead(withControllerLease(healthy, secondsBefore(100)), seconds);
    expect(find(stalled, 'control-plane/controllers-stalled')[0]?.summary).toContain('for 100 s');
  });
});

describe('nodes that the API has another opinion of', () => {
  test('not registered at all', () => {
    const facts = withApi(healthy, (api) => ({ ...api, nodes: api.nodes.filter(({ name }) => name !== worker) }));
    expect(find(facts, 'nodes/not-ready')).toMatchObject([
      { subject: worker, summary: `${worker} is not registered with the API` },
    ]);
  });

  test('still Ready while its kubelet is silent', () => {
    const facts = withApiNode(healthy, worker, (node) => ({ ...node, leaseRenewedAt: secondsBefore(41) }));
    expect(find(facts, 'nodes/not-ready')[0]?.summary).toContain('has not been heard of for 41 s');
  });

  test('Ready without an INTERNAL-IP is not at the address that Docker gives it', () => {
    const facts = withApiNode(healthy, worker, (node) => ({ ...node, internalAddresses: [] }));
    expect(find(facts, 'nodes/address-stale')).toHaveLength(1);
  });
});

describe('stopped and paused containers', () => {
  test('each is told with what the engine said of it', () => {
    const facts = withContainer(stopContainer(healthy, worker, 128), worker, (container) => ({
      ...container,
      error: 'network kind not found',
    }));
    const [finding] = find(facts, 'containers/node-stopped');
    expect(finding?.summary).toBe(`${worker} (worker) does not run: exited with exit code 128`);
    expect(finding?.evidence).toContain('engine: network kind not found');
  });

  test('a paused one runs by the engine, and does nothing', () => {
    const facts = withContainer(healthy, worker, (container) => ({ ...container, state: 'paused' }));
    expect(find(facts, 'containers/node-stopped')[0]?.summary).toBe(`${worker} (worker) is paused`);
  });

  test('what follows from a stopped control plane is shown below it', () => {
    const facts = withoutApi(stopContainer(healthy, controlPlane));
    expect(diagnose(facts).findings.map(({ id, cause }) => [id, cause?.id ?? null])).toEqual([
      ['containers/node-stopped', null],
      ['control-plane/api-unreachable', 'containers/node-stopped'],
    ]);
  });

  test('an API server that is gone does not follow from a worker that is stopped', () => {
    const facts = withNode(withoutApi(stopContainer(healthy, worker)), controlPlane, (node) => ({
      ...node,
      components: seen([{ name: 'kube-apiserver', state: 'exited', attempt: 9, createdAt: secondsBefore(60) }]),
    }));
    const [finding] = find(facts, 'control-plane/api-unreachable');
    expect(finding?.cause).toBeNull();
  });
});

describe('certificates', () => {
  test('a key that belongs to another certificate', () => {
    const facts = withNode(healthy, controlPlane, (node) => ({ ...node, apiserverKeySha256: seen('0'.repeat(64)) }));
    expect(find(facts, 'certificates/apiserver-missing')[0]?.summary).toContain('do not belong together');
  });

  test.each([
    'it is empty, so it holds no certificate',
    'it holds 1330 zero bytes and no certificate, as files do after a power loss',
  ])('a file that a power loss left: %s', (reason) => {
    const facts = withNode(healthy, controlPlane, (node) => ({
      ...node,
      certificates: { ...node.certificates, apiserver: unseen(reason) },
    }));
    expect(find(facts, 'certificates/apiserver-missing')[0]).toMatchObject({
      summary: `The API server on ${controlPlane} has no usable certificate`,
      evidence: [`/etc/kubernetes/pki/apiserver.crt: ${reason}`],
    });
  });

  test('workers have none, and are not asked for one', () => {
    expect(find(healthy, 'certificates/apiserver-missing')).toEqual([]);
  });
});

describe('causes', () => {
  test.each([
    ['the kubelet of the same node is down', controlPlane, 'node/kubelet-down'],
    ['the kubelet of another node is down', worker, null],
  ])('a node that is not Ready where %s', (_name, down, cause) => {
    const facts = silence(
      withNode(healthy, down, (node) => ({
        ...node,
        kubelet: seen({ activeState: 'inactive', subState: 'dead', restarts: 0, activeSince: '' }),
      })),
      controlPlane,
      120,
    );
    const [finding] = find(facts, 'nodes/not-ready');
    expect(finding?.cause?.id ?? null).toBe(cause);
  });

  test('of several, the nearest one is named', () => {
    const facts = stopContainer(silence(makeFacts(highlyAvailable), worker, 120), worker);
    expect(find(facts, 'nodes/not-ready')[0]?.cause).toEqual({ id: 'containers/node-stopped', subject: worker });
  });
});

test('names made to fool a terminal come through as data, unchanged and unharmed', () => {
  const hostile = 'idp\u001b[2J\u001b]0;pwned\u0007-worker\r\n';
  const facts: Facts = {
    ...healthy,
    cluster: hostile,
    containers: healthy.containers.ok
      ? seen(healthy.containers.value.map((one) => (one.name === worker ? { ...one, name: hostile } : one)))
      : healthy.containers,
  };
  const diagnosis = diagnose(facts);
  // Hosts clean what they print; here names must stay what they are, or nothing could be found by them.
  expect(diagnosis.findings.map(({ subject }) => subject)).toContain(hostile);
  expect(JSON.parse(JSON.stringify(diagnosis))).toEqual(diagnosis);
  expect(diagnosis.gatheredAt).toBe(gatheredAt);
});

describe('an API server that answers and is not ready', () => {
  test('is found, though its lists look well: they come from its cache', () => {
    const facts = withApi(healthy, (api) => ({ ...api, unready: '[-]etcd failed: reason withheld' }));
    expect(find(facts, 'control-plane/api-unreachable')).toMatchObject([
      { summary: 'The API server answers, but is not ready: [-]etcd failed: reason withheld' },
    ]);
  });
});
