/** The columns of tables, with the real server's names and words (k8s.io/kubernetes/pkg/printers, 1.34). */

import type { KubeObject } from '../contracts.ts';
import { formatAge } from './duration.ts';
import { dig, digList, digNumber, digText, isRecord } from './json.ts';
import { readNodeRoles, readNodeStatus } from './node-columns.ts';
import { readPodReady, readPodRestarts, readPodStatus } from './pod-columns.ts';

export interface Column {
  readonly name: string;
  readonly type?: 'string' | 'integer';
  /** Shown by `-o wide` only. */
  readonly wide?: boolean;
  /** `now` in milliseconds since the epoch. */
  readonly read: (object: KubeObject, now: number) => string | number;
}

export function columnsOf(resource: string): readonly Column[] {
  return COLUMNS[resource] ?? [NAME, AGE];
}

const NAME: Column = { name: 'Name', read: ({ metadata }) => metadata.name };
const AGE: Column = {
  name: 'Age',
  read: ({ metadata }, now) => formatAge(metadata.creationTimestamp, now),
};
const CONTAINERS: readonly Column[] = [
  { name: 'Containers', wide: true, read: (object) => listContainers(object, 'name') },
  { name: 'Images', wide: true, read: (object) => listContainers(object, 'image') },
];
const SELECTOR: Column = {
  name: 'Selector',
  wide: true,
  read: ({ spec }) => formatLabels(dig(spec, 'selector', 'matchLabels')),
};

const COLUMNS: Readonly<Record<string, readonly Column[]>> = {
  nodes: [
    NAME,
    text('Status', readNodeStatus),
    text('Roles', readNodeRoles),
    AGE,
    text('Version', ({ status }) => digText(status, 'nodeInfo', 'kubeletVersion')),
    wide('Internal-IP', (node) => readAddress(node, 'InternalIP')),
    wide('External-IP', (node) => readAddress(node, 'ExternalIP')),
    wide('OS-Image', ({ status }) => digText(status, 'nodeInfo', 'osImage') || '<unknown>'),
    wide('Kernel-Version', ({ status }) => digText(status, 'nodeInfo', 'kernelVersion') || '<unknown>'),
    wide('Container-Runtime', ({ status }) => digText(status, 'nodeInfo', 'containerRuntimeVersion') || '<unknown>'),
  ],
  pods: [
    NAME,
    text('Ready', readPodReady),
    text('Status', readPodStatus),
    { name: 'Restarts', read: readPodRestarts },
    AGE,
    wide('IP', ({ status }) => digText(status, 'podIP') || '<none>'),
    wide('Node', ({ spec }) => digText(spec, 'nodeName') || '<none>'),
    wide('Nominated Node', ({ status }) => digText(status, 'nominatedNodeName') || '<none>'),
    wide('Readiness Gates', () => '<none>'),
  ],
  'deployments.apps': [
    NAME,
    text('Ready', ({ spec, status }) => `${digNumber(status, 'readyReplicas')}/${digNumber(spec, 'replicas')}`),
    count('Up-to-date', 'updatedReplicas'),
    count('Available', 'availableReplicas'),
    AGE,
    ...CONTAINERS,
    SELECTOR,
  ],
  'daemonsets.apps': [
    NAME,
    count('Desired', 'desiredNumberScheduled'),
    count('Current', 'currentNumberScheduled'),
    count('Ready', 'numberReady'),
    count('Up-to-date', 'updatedNumberScheduled'),
    count('Available', 'numberAvailable'),
    text('Node Selector', ({ spec }) => formatLabels(dig(spec, 'template', 'spec', 'nodeSelector'))),
    AGE,
    ...CONTAINERS,
    SELECTOR,
  ],
  'replicasets.apps': [
    NAME,
    { name: 'Desired', type: 'integer', read: ({ spec }) => digNumber(spec, 'replicas') },
    count('Current', 'replicas'),
    count('Ready', 'readyReplicas'),
    AGE,
    ...CONTAINERS,
    SELECTOR,
  ],
  'statefulsets.apps': [
    NAME,
    text('Ready', ({ spec, status }) => `${digNumber(status, 'readyReplicas')}/${digNumber(spec, 'replicas')}`),
    AGE,
    ...CONTAINERS,
  ],
  services: [
    NAME,
    text('Type', ({ spec }) => digText(spec, 'type') || 'ClusterIP'),
    text('Cluster-IP', ({ spec }) => digText(spec, 'clusterIP') || '<none>'),
    text('External-IP', () => '<none>'),
    text('Port(s)', ({ spec }) => digList(spec, 'ports').map(formatPort).join(',') || '<none>'),
    AGE,
    wide('Selector', ({ spec }) => formatLabels(dig(spec, 'selector'))),
  ],
  namespaces: [NAME, text('Status', ({ status }) => digText(status, 'phase')), AGE],
  'leases.coordination.k8s.io': [NAME, text('Holder', ({ spec }) => digText(spec, 'holderIdentity')), AGE],
  endpoints: [NAME, text('Endpoints', listEndpoints), AGE],
  events: [
    {
      name: 'Last Seen',
      read: ({ lastTimestamp, eventTime }, now) => formatAge((lastTimestamp ?? eventTime) as string | undefined, now),
    },
    text('Type', (event) => digText(event, 'type')),
    text('Reason', (event) => digText(event, 'reason')),
    text('Object', ({ involvedObject }) =>
      [digText(involvedObject, 'kind').toLowerCase(), digText(involvedObject, 'name')].join('/'),
    ),
    text('Message', (event) => digText(event, 'message').trim()),
  ],
};

function text(name: string, read: (object: KubeObject) => string): Column {
  return { name, read };
}

function wide(name: string, read: (object: KubeObject) => string): Column {
  return { name, wide: true, read };
}

function count(name: string, field: string): Column {
  return { name, type: 'integer', read: ({ status }) => digNumber(status, field) };
}

function readAddress({ status }: KubeObject, type: string): string {
  const found = digList(status, 'addresses').find((address) => digText(address, 'type') === type);
  return digText(found, 'address') || '<none>';
}

function listContainers({ spec }: KubeObject, field: string): string {
  return digList(spec, 'template', 'spec', 'containers')
    .map((container) => digText(container, field))
    .join(',');
}

function formatLabels(labels: unknown): string {
  if (!isRecord(labels)) return '<none>';
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${String(value)}`);
  return pairs.sort().join(',') || '<none>';
}

function formatPort(port: unknown): string {
  const node = digNumber(port, 'nodePort');
  return `${digNumber(port, 'port')}${node === 0 ? '' : `:${node}`}/${digText(port, 'protocol') || 'TCP'}`;
}

function listEndpoints({ subsets }: KubeObject): string {
  const all = (Array.isArray(subsets) ? (subsets as readonly unknown[]) : []).flatMap((subset) =>
    digList(subset, 'ports').flatMap((port) =>
      digList(subset, 'addresses').map((address) => `${digText(address, 'ip')}:${digNumber(port, 'port')}`),
    ),
  );
  if (all.length === 0) return '<none>';
  return all.length <= 3 ? all.join(',') : `${all.slice(0, 3).join(',')} + ${all.length - 3} more...`;
}
