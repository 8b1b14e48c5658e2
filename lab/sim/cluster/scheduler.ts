import type { KubeObject } from '../contracts.ts';
import { matchesLabels, wantedNodeOf } from './controllers/daemon-sets.ts';
import {
  conditionsOf,
  modifyObject,
  type NodeSpec,
  setCondition,
  specOf,
  statusOf,
  type Taint,
  tolerates,
} from './objects.ts';
import type { LeaderSession } from './programs/leader.ts';
import { createDebounce } from './scope.ts';
import { toTime } from './words.ts';
import type { ClusterWorld } from './world.ts';

/** Pods that fitted nowhere are looked at again after this, whatever happens. */
const retryMs = 30_000;
const selectedNode = 'volume.kubernetes.io/selected-node';

/** What the leading scheduler does: binds every pod without a node to the emptiest one that takes it. */
export function startScheduler(world: ClusterWorld, { scope, connected }: LeaderSession): void {
  const schedule = createDebounce(
    scope,
    () => 20 + world.context.random() * 80,
    () => {
      if (connected()) bindAll(world);
    },
  );
  const stops = [
    world.pods.followAll(({ object, type }) => {
      if (scope.ended) stopAll();
      else if (type === 'DELETED' || (specOf(object).nodeName ?? '') === '') schedule();
    }),
    world.store.watch('nodes', world.store.revision, () => {
      if (scope.ended) stopAll();
      else if (world.pods.unbound().length > 0) schedule();
    }),
  ];
  function stopAll(): void {
    for (const stop of stops) stop();
  }
  const retry = () => {
    if (world.pods.unbound().length > 0) schedule();
    scope.schedule(retryMs, retry);
  };
  scope.schedule(retryMs, retry);
  schedule();
}

function bindAll(world: ClusterWorld): void {
  const pending = world.pods.unbound().filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  if (pending.length === 0) return;
  const nodes = world.store.list('nodes');
  const load = new Map(nodes.map(({ metadata }) => [metadata.name, world.pods.onNode(metadata.name).length]));
  for (const pod of pending) {
    const node = findEmptiest(world, pod, nodes, load);
    if (node === undefined) reportUnschedulable(world, pod, nodes, load);
    else {
      load.set(node.metadata.name, (load.get(node.metadata.name) ?? 0) + 1);
      bind(world, pod, node.metadata.name);
    }
  }
}

/** Fullness is compared first: asking whether a node takes a pod costs more. */
function findEmptiest(
  world: ClusterWorld,
  pod: KubeObject,
  nodes: readonly KubeObject[],
  load: ReadonlyMap<string, number>,
): KubeObject | undefined {
  let best: KubeObject | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const node of nodes) {
    const pods = load.get(node.metadata.name) ?? 0;
    if (pods >= least || refuse(world, pod, node, load) !== undefined) continue;
    best = node;
    least = pods;
  }
  return best;
}

function bind(world: ClusterWorld, pod: KubeObject, nodeName: string): void {
  const time = toTime(world.context.clock.now());
  const conditions = setCondition(conditionsOf(pod), {
    type: 'PodScheduled',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: time,
  }).map(({ reason: _reason, message: _message, ...condition }) => condition);
  for (const { persistentVolumeClaim } of specOf(pod).volumes ?? []) {
    const claim = persistentVolumeClaim?.claimName;
    if (claim !== undefined) bindClaim(world, pod.metadata.namespace ?? 'default', claim, nodeName);
  }
  world.store.update('pods', {
    ...pod,
    spec: { ...specOf(pod), nodeName },
    status: { ...statusOf(pod), conditions },
  });
}

/** A volume of local-path-provisioner lies on the node of its first pod, and stays there. */
function bindClaim(world: ClusterWorld, namespace: string, claim: string, nodeName: string): void {
  modifyObject(world.store, 'persistentvolumeclaims', namespace, claim, (object) => ({
    ...object,
    metadata: { ...object.metadata, annotations: { [selectedNode]: nodeName, ...object.metadata.annotations } },
    status: { ...(object.status as object), phase: 'Bound' },
  }));
}

/** Why a node does not take a pod, in the scheduler's words; undefined where it does. */
function refuse(
  world: ClusterWorld,
  pod: KubeObject,
  node: KubeObject,
  load: ReadonlyMap<string, number>,
): string | undefined {
  const { name, labels = {} } = node.metadata;
  const { taints = [], unschedulable } = (node.spec ?? {}) as NodeSpec;
  const { tolerations = [], nodeSelector = {}, volumes = [], hostNetwork } = specOf(pod);
  const wanted = wantedNodeOf(pod);
  if (wanted !== '' && wanted !== name) return "node(s) didn't match Pod's node affinity/selector";
  const isRefused = ({ effect, ...taint }: Taint) =>
    effect !== 'PreferNoSchedule' && tolerates(tolerations, { effect, ...taint }) === undefined;
  const taint = taints.find(isRefused);
  if (taint !== undefined) return `node(s) had untolerated taint {${taint.key}: ${taint.value ?? ''}}`;
  if (unschedulable === true && wanted === '') return 'node(s) were unschedulable';
  if (!matchesLabels(labels, nodeSelector)) return "node(s) didn't match Pod's node affinity/selector";
  if (hostNetwork !== true && (load.get(name) ?? 0) >= 254) return 'Too many pods';
  for (const { persistentVolumeClaim } of volumes) {
    if (persistentVolumeClaim === undefined) continue;
    const claim = world.store.get('persistentvolumeclaims', pod.metadata.namespace, persistentVolumeClaim.claimName);
    if (claim === undefined) return `persistentvolumeclaim "${persistentVolumeClaim.claimName}" not found`;
    const selected = claim.metadata.annotations?.[selectedNode];
    if (selected !== undefined && selected !== name) return "node(s) didn't match PersistentVolume's node affinity";
  }
  return takesHostPort(world, pod, name) ? "node(s) didn't have free ports for the requested pod ports" : undefined;
}

function takesHostPort(world: ClusterWorld, pod: KubeObject, node: string): boolean {
  const portsOf = (other: KubeObject) =>
    specOf(other).containers.flatMap(({ ports = [] }) => ports.flatMap(({ hostPort }) => hostPort ?? []));
  const wanted = portsOf(pod);
  if (wanted.length === 0) return false;
  return world.pods.onNode(node).some((other) => portsOf(other).some((port) => wanted.includes(port)));
}

function reportUnschedulable(
  world: ClusterWorld,
  pod: KubeObject,
  nodes: readonly KubeObject[],
  load: ReadonlyMap<string, number>,
): void {
  const reasons = new Map<string, number>();
  for (const node of nodes) {
    const reason = refuse(world, pod, node, load) ?? '';
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  const parts = [...reasons].map(([reason, count]) => `${count} ${reason}`).sort();
  const message = `0/${nodes.length} nodes are available: ${parts.join(', ')}.`;
  const conditions = setCondition(conditionsOf(pod), {
    type: 'PodScheduled',
    status: 'False',
    reason: 'Unschedulable',
    message,
    lastProbeTime: null,
    lastTransitionTime: toTime(world.context.clock.now()),
  });
  world.store.update('pods', { ...pod, status: { ...statusOf(pod), phase: 'Pending', conditions } });
}
