import type { NodeFacts } from '../../facts/node.ts';
import { type Observed, unseen } from '../../facts/observed.ts';
import { filesWithSlots } from '../../manifests/slots.ts';
import type { Node, NodeOperation, NodeOperationResult } from '../../node/port.ts';
import type { Clock } from '../surroundings.ts';
import { messageOf } from './containers.ts';

export const adminConf = '/etc/kubernetes/admin.conf';
export const kubeletConf = '/etc/kubernetes/kubelet.conf';
export const caCertificate = '/etc/kubernetes/pki/ca.crt';

/** Names that every temporary file of ours begins with, and the folders that may hold one. */
export const temporaryPrefix = '.rekindle-';
export const foldersWithTemporaries = [
  '/etc/kubernetes',
  '/etc/kubernetes/pki',
  '/kind',
  '/var/lib/kubelet',
  '/var/lib',
];

export const staticPods = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'];

/** A batch of facts that may take longer has met a node that hangs. */
const gatherTimeoutMs = 20_000;

export interface GatheredNode {
  readonly facts: Observed<NodeFacts>;
  /** admin.conf's text, secrets included: for the API connection and the host's kubeconfig, never for the facts. */
  readonly adminConf: string | undefined;
}

export interface NodeQuestion {
  readonly name: string;
  readonly role: 'control-plane' | 'worker';
  readonly running: boolean;
  /** The host name by which the node's clients should reach the API. */
  readonly endpointName: string;
}

/** Makes facts of what a node answered. */
export type NodeReader = (
  question: NodeQuestion,
  operations: readonly NodeOperation[],
  results: readonly NodeOperationResult[],
  hostTime: number,
) => GatheredNode;

/**
 * All facts of one node, in one call. Never rejects for the node: what could not be read carries the reason. The reader
 * may still be on its way while the node is asked.
 */
export async function gatherNode(
  node: Node,
  question: NodeQuestion,
  clock: Clock,
  signal: AbortSignal,
  reader: Promise<NodeReader>,
): Promise<GatheredNode> {
  const operations = listOperations(question);
  const before = clock.now().getTime();
  let results: NodeOperationResult[];
  try {
    results = await node.perform(operations, { timeoutMs: gatherTimeoutMs, signal });
  } catch (error) {
    return { facts: unseen(messageOf(error)), adminConf: undefined };
  }
  const middle = (before + clock.now().getTime()) / 2;
  const read = await reader;
  return read(question, operations, results, middle);
}

function listOperations({ role, running, endpointName }: NodeQuestion): NodeOperation[] {
  const isControlPlane = role === 'control-plane';
  const everywhere = ['/kind/old-ipv4', '/kind/old-ipv6', '/usr/local/bin/entrypoint', kubeletConf, caCertificate];
  // Each file of a stopped container is an archive of its own: these few tell where it stood and how to reach its API.
  if (!running) return [...everywhere, ...(isControlPlane ? [adminConf] : [])].map((path) => ({ op: 'read', path }));
  const files = [
    ...everywhere,
    ...filesOf(role),
    ...(isControlPlane
      ? [
          '/etc/kubernetes/controller-manager.conf',
          '/etc/kubernetes/scheduler.conf',
          adminConf,
          '/etc/kubernetes/pki/apiserver.crt',
        ]
      : []),
  ];
  return [
    ...files.map((path) => ({ op: 'read' as const, path })),
    ...foldersWithTemporaries.map((directory) => ({
      op: 'list-directory' as const,
      directory,
      prefix: temporaryPrefix,
    })),
    run('ip', '-j', 'address', 'show', 'up'),
    run('getent', 'ahosts', endpointName),
    run(
      'systemctl',
      'show',
      'kubelet',
      'containerd',
      '--property=Id,ActiveState,SubState,NRestarts,ActiveEnterTimestamp',
    ),
    // The clock is the engine's, one for all nodes; and it is control planes whose kubelets lose the API server.
    ...(isControlPlane
      ? [
          run('date', '+%s%3N'),
          run('journalctl', '-u', 'kubelet', '-n', '80', '--no-pager', '-o', 'cat'),
          run('openssl', 'pkey', '-in', '/etc/kubernetes/pki/apiserver.key', '-pubout'),
          run('crictl', 'ps', '-a', '-o', 'json', '--name', `^(${staticPods.join('|')})$`),
        ]
      : []),
  ];
}

/** A worker has no manifests of its own. */
export function filesOf(role: NodeQuestion['role']): readonly string[] {
  return role === 'control-plane'
    ? filesWithSlots
    : filesWithSlots.filter((path) => !path.startsWith('/etc/kubernetes/manifests/'));
}

function run(...argv: string[]): NodeOperation {
  return { op: 'run', argv, timeoutSeconds: 5 };
}
