import type { KubeObject } from '../../contracts.ts';
import {
  conditionsOf,
  isReady,
  modifyObject,
  type NodeSpec,
  setCondition,
  specOf,
  statusOf,
  type Taint,
  tolerates,
} from '../objects.ts';
import { toTime } from '../words.ts';
import type { ClusterWorld } from '../world.ts';
import { markDeleted } from './deletion.ts';

/** How long a silent node is taken for ready. */
const graceMs = 40_000;
/** Pods of a node that has been removed are collected after this. */
const orphanMs = 40_000;
export const unreachable = 'node.kubernetes.io/unreachable';
export const notReady = 'node.kubernetes.io/not-ready';

export interface NodeLifecycle {
  /** Whether a change of a node is more than a heartbeat. */
  concerns(node: KubeObject): boolean;
  look(): void;
}

/** What a controller manager knows of the nodes begins with its start: it has to see a lease stand still itself. */
export function createNodeLifecycle(world: ClusterWorld): NodeLifecycle {
  const { store, context } = world;
  const health = new Map<string, { renewed: string; at: number }>();
  const taintedSince = new Map<string, number>();
  const orphanedSince = new Map<string, number>();
  const known = new Map<string, string>();

  function look(): void {
    const now = context.clock.now();
    const nodes = store.list('nodes');
    for (const node of nodes) lookAt(node, now);
    collectOrphans(new Set(nodes.map(({ metadata }) => metadata.name)), now);
  }

  function lookAt(node: KubeObject, now: number): void {
    const { name } = node.metadata;
    const lease = store.get('leases.coordination.k8s.io', 'kube-node-lease', name);
    const renewed = (lease?.spec as { readonly renewTime?: string } | undefined)?.renewTime ?? '';
    const seen = health.get(name);
    const own = seen?.renewed === renewed ? seen : { renewed, at: now };
    health.set(name, own);
    const isSilent = now - own.at > graceMs;
    if (isSilent) markUnknown(name, now);
    const current = isSilent ? store.get('nodes', undefined, name) : node;
    if (current !== undefined) taint(current, now);
  }

  function markUnknown(name: string, now: number): void {
    modifyObject(store, 'nodes', undefined, name, (node) => {
      let conditions = conditionsOf(node);
      for (const { type, status } of conditions) {
        if (status === 'Unknown') continue;
        conditions = setCondition(conditions, {
          ...conditions.find((condition) => condition.type === type),
          type,
          status: 'Unknown',
          reason: 'NodeStatusUnknown',
          message: 'Kubelet stopped posting node status.',
          lastTransitionTime: toTime(now),
        });
      }
      return { ...node, status: { ...(node.status as object), conditions } };
    });
  }

  function taint(node: KubeObject, now: number): void {
    const { name } = node.metadata;
    const ready = conditionsOf(node).find(({ type }) => type === 'Ready')?.status ?? 'Unknown';
    const key = ready === 'True' ? undefined : ready === 'False' ? notReady : unreachable;
    const { taints = [], ...spec } = (node.spec ?? {}) as NodeSpec;
    const own = taints.filter((entry) => entry.key === notReady || entry.key === unreachable);
    const kept = taints.filter((entry) => !own.includes(entry));
    const time = toTime(now);
    const isRight = key === undefined ? own.length === 0 : own.length === 2 && own.every((entry) => entry.key === key);
    if (!isRight) {
      const added: Taint[] =
        key === undefined
          ? []
          : [
              { key, effect: 'NoSchedule', timeAdded: time },
              { key, effect: 'NoExecute', timeAdded: time },
            ];
      const next = [...kept, ...added];
      store.update('nodes', { ...node, spec: { ...spec, ...(next.length > 0 ? { taints: next } : {}) } });
    }
    if (key === undefined) {
      taintedSince.delete(name);
      return;
    }
    const since = taintedSince.get(name) ?? now;
    if (!taintedSince.has(name)) {
      taintedSince.set(name, since);
      if (key === unreachable) markPodsNotReady(name, now);
    }
    evict(name, { key, effect: 'NoExecute' }, now - since);
  }

  function markPodsNotReady(node: string, now: number): void {
    for (const pod of world.pods.onNode(node)) {
      if (!isReady(pod)) continue;
      const conditions = setCondition(conditionsOf(pod), {
        type: 'Ready',
        status: 'False',
        lastTransitionTime: toTime(now),
      });
      store.update('pods', { ...pod, status: { ...statusOf(pod), conditions } });
    }
  }

  function evict(node: string, taintOfNode: Taint, standsMs: number): void {
    for (const pod of world.pods.onNode(node)) {
      if (pod.metadata.deletionTimestamp !== undefined) continue;
      const toleration = tolerates(specOf(pod).tolerations ?? [], taintOfNode);
      const patience = toleration === undefined ? 0 : toleration.tolerationSeconds;
      if (patience !== undefined && standsMs >= patience * 1000) markDeleted(world, pod);
    }
  }

  function collectOrphans(names: ReadonlySet<string>, now: number): void {
    for (const name of known.keys()) if (!names.has(name) && !orphanedSince.has(name)) orphanedSince.set(name, now);
    for (const [name, since] of orphanedSince) {
      if (names.has(name)) orphanedSince.delete(name);
      else if (now - since >= orphanMs) {
        for (const { metadata } of world.pods.onNode(name)) store.remove('pods', metadata.namespace, metadata.name);
        orphanedSince.delete(name);
        known.delete(name);
      }
    }
    for (const name of names) if (!known.has(name)) known.set(name, '');
  }

  return {
    look,
    concerns(node) {
      const { name, labels } = node.metadata;
      const ready = conditionsOf(node).find(({ type }) => type === 'Ready')?.status;
      const digest = JSON.stringify([ready, labels, node.spec]);
      if (known.get(name) === digest) return false;
      known.set(name, digest);
      return true;
    },
  };
}
