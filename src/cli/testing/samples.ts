import type { BundleMaterial } from '../../bundle/pack.ts';
import type { Diagnosis, Finding } from '../../engine/diagnosis.ts';
import type { EngineFacts } from '../../facts/engine.ts';
import type { Facts } from '../../facts/facts.ts';
import { seen, unseen } from '../../facts/observed.ts';
import type { Plan } from '../../repairs/step.ts';

/** Hand-made diagnoses: what the commands have to show, without an engine. */

const reachableEngine: EngineFacts = {
  state: 'reachable',
  endpoint: 'unix:///var/run/docker.sock',
  reason: '',
  attempts: [{ source: 'default socket', endpoint: 'unix:///var/run/docker.sock' }],
  id: 'ENGINE-1',
  version: '28.5.1',
  operatingSystem: 'Rancher Desktop',
  hostPlatform: 'linux',
};

export const deadEngine: EngineFacts = {
  ...reachableEngine,
  state: 'unreachable',
  endpoint: '',
  reason: 'No Docker engine answers. Start Docker, or name its endpoint with --docker-host or DOCKER_HOST.',
  attempts: [
    { source: 'DOCKER_HOST', endpoint: '', reason: 'not set' },
    { source: 'default socket', endpoint: 'unix:///var/run/docker.sock', reason: 'connect ENOENT' },
  ],
  id: '',
  version: '',
  operatingSystem: '',
};

export function makeFacts(cluster: string, options: { workers?: number; ready?: number | null } = {}): Facts {
  const { workers = 2, ready = workers + 1 } = options;
  const names = [
    `${cluster}-control-plane`,
    ...Array.from({ length: workers }, (_, i) => `${cluster}-worker${i || ''}`),
  ];
  return {
    format: 'rekindle.facts/v1',
    gatheredAt: '2026-05-04T09:15:00.000Z',
    cluster,
    engine: reachableEngine,
    containers: seen(
      names.map((name, index) => ({
        name,
        role: index === 0 ? ('control-plane' as const) : ('worker' as const),
        image: 'kindest/node:v1.34.0',
        state: 'running',
        running: true,
        exitCode: 0,
        error: '',
        startedAt: '2026-05-04T09:10:00Z',
        finishedAt: '0001-01-01T00:00:00Z',
        restartPolicy: { name: 'on-failure', maximumRetryCount: 1 },
        ipv4: `172.18.0.${index + 2}`,
        ipv6: '',
        apiPort: index === 0 ? { hostIp: '127.0.0.1', hostPort: 41777 } : null,
      })),
    ),
    network: unseen('not asked for'),
    nodes: {},
    api:
      ready === null
        ? unseen('the API server at https://127.0.0.1:41777 did not answer within 3 s')
        : seen({
            via: 'published-port' as const,
            endpoint: 'https://127.0.0.1:41777',
            portFailure: '',
            unready: '',
            nodes: names.map((name, index) => ({
              name,
              ready: index < ready ? 'True' : 'Unknown',
              readyReason: '',
              readySince: '2026-05-04T09:12:00Z',
              internalAddresses: [],
              leaseRenewedAt: null,
            })),
            controllerManagerLease: unseen('none'),
            schedulerLease: unseen('none'),
          }),
    kubeconfig: unseen('not asked for'),
  };
}

function makeDiagnosis(cluster: string, rest: Partial<Diagnosis>): Diagnosis {
  return {
    cluster,
    gatheredAt: '2026-05-04T09:15:00.000Z',
    verdict: 'healthy',
    findings: [],
    unknown: [],
    passed: ['containers/not-running', 'node/kubelet-endpoint-stale', 'nodes/not-ready'],
    skipped: [],
    ...rest,
  };
}

export function makeHealthy(cluster = 'idp-mvp'): Diagnosis {
  return makeDiagnosis(cluster, {});
}

const staleEndpoint = (cluster: string): Finding => ({
  id: 'node/kubelet-endpoint-stale',
  layer: 'node',
  severity: 'error',
  subject: `${cluster}-control-plane`,
  title: 'Every kubelet talks to an address at which its API server answers.',
  summary: `kubelet.conf points at https://172.18.0.4:6443, which ${cluster}-worker holds now; this node is 172.18.0.2.`,
  evidence: [
    '/etc/kubernetes/kubelet.conf: server: https://172.18.0.4:6443',
    'addresses of eth0: 172.18.0.2',
    'kubelet: dial tcp 172.18.0.4:6443: connect: connection refused',
  ],
  cause: null,
});

/** The crash after which the control plane's own kubelet dials an address that was dealt to another container. */
export function makeCrashed(cluster = 'idp-mvp'): Diagnosis {
  const cause = { id: 'node/kubelet-endpoint-stale', subject: `${cluster}-control-plane` };
  return makeDiagnosis(cluster, {
    verdict: 'broken',
    findings: [
      {
        id: 'nodes/not-ready',
        layer: 'nodes',
        severity: 'error',
        subject: `${cluster}-control-plane`,
        title: 'Every node is Ready.',
        summary: 'Ready is Unknown since 09:12:00 (NodeStatusUnknown).',
        evidence: ['condition Ready: Unknown, NodeStatusUnknown'],
        cause,
      },
      {
        id: 'host/kubeconfig-port-stale',
        layer: 'host',
        severity: 'warning',
        subject: '',
        title: 'The host kubeconfig names the port published now.',
        summary: '~/.kube/config says 127.0.0.1:40001, the API server is published at 127.0.0.1:41777.',
        evidence: [],
        cause: null,
      },
      staleEndpoint(cluster),
    ],
    passed: ['containers/not-running', 'certificates/apiserver-address'],
    skipped: [{ check: 'etcd/quorum-lost', reason: 'one control plane' }],
  });
}

export function makeCrashPlan(cluster = 'idp-mvp'): Plan {
  const node = `${cluster}-control-plane`;
  const mends = [{ id: 'node/kubelet-endpoint-stale', subject: node }];
  return {
    steps: [
      {
        id: '1',
        step: {
          kind: 'edit-file',
          node,
          path: '/etc/kubernetes/kubelet.conf',
          edits: [{ from: 'https://172.18.0.4:6443', to: `https://${node}:6443` }],
        },
        title: `point the kubelet of ${node} at https://${node}:6443`,
        reasons: ['a host name stays right when the addresses are dealt out anew'],
        mends,
        risk: 'safe',
        needs: [],
      },
      {
        id: '2',
        step: { kind: 'restart-unit', node, unit: 'kubelet' },
        title: `restart the kubelet on ${node}`,
        reasons: ['it reads kubelet.conf at its start only'],
        mends,
        risk: 'safe',
        needs: ['1'],
      },
      {
        id: '3',
        step: {
          kind: 'wait-nodes',
          nodes: [node, `${cluster}-worker`, `${cluster}-worker2`].map((name, i) => ({
            name,
            addresses: [`172.18.0.${i + 2}`],
          })),
        },
        title: 'wait until all 3 nodes are Ready at their addresses',
        reasons: ['healed means Ready, at the right address'],
        mends,
        risk: 'safe',
        needs: ['2'],
      },
    ],
    unserved: [
      {
        id: 'host/kubeconfig-port-stale',
        subject: '',
        reason: 'the kubeconfig is not writable',
        byHand: [`kind export kubeconfig --name ${cluster}`],
      },
    ],
  };
}

export const emptyPlan: Plan = { steps: [], unserved: [] };

/** The API server is dead, and with it everything that only it can tell. */
export function makeUnknown(cluster = 'idp-mvp'): Diagnosis {
  const reason = 'the API server at https://127.0.0.1:41777 did not answer within 3 s';
  return makeDiagnosis(cluster, {
    verdict: 'unknown',
    unknown: [
      { check: 'nodes/not-ready', reason },
      { check: 'control-plane/lease-stale', reason },
      { check: 'node/kubelet-endpoint-stale', reason: `exec in ${cluster}-worker2 timed out after 5 s` },
    ],
    passed: ['containers/not-running'],
  });
}

export function makeDegraded(cluster = 'idp-mvp'): Diagnosis {
  return makeDiagnosis(cluster, {
    verdict: 'degraded',
    findings: makeCrashed(cluster).findings.filter(({ severity }) => severity === 'warning'),
  });
}

/** What a bundle of a running cluster is made of, with a secret in it. */
export function makeMaterial(cluster = 'idp-mvp'): BundleMaterial {
  const node = `${cluster}-control-plane`;
  const log =
    'E0504 09:14:01 dial tcp 172.18.0.4:6443: connect: connection refused\nI0504 09:14:02 --password hunter2\n';
  return {
    madeAt: new Date('2026-05-04T09:15:00Z'),
    version: '1.2.3',
    hostPlatform: 'linux',
    cluster,
    files: [
      { path: ['facts.json'], what: 'what was observed', contents: { json: makeFacts(cluster) } },
      { path: ['logs', node, 'kubelet.log'], what: `log of kubelet on ${node}`, contents: { text: log } },
    ],
    missing: [{ what: `log of kubelet on ${cluster}-worker`, reason: 'the container does not run' }],
  };
}

/** What is left of that without an engine. */
export function makeBare(engine: EngineFacts): Pick<BundleMaterial, 'files' | 'missing'> {
  const none = unseen('no Docker engine answers');
  const json = { ...makeFacts(''), engine, containers: none, network: none, nodes: {}, api: none, kubeconfig: none };
  return {
    files: [{ path: ['facts.json'], what: 'what was observed', contents: { json } }],
    missing: [{ what: 'the state of the cluster', reason: engine.reason }],
  };
}
