import type { KubeObject } from '../../contracts.ts';
import { makeSuffix } from '../../random.ts';
import { isReady } from '../objects.ts';
import type { ClusterWorld } from '../world.ts';
import type { Concerns } from './dirty.ts';
import { markDeleted } from './deletion.ts';
import { countReady, createPod, listActive, type PodTemplate } from './pods.ts';

interface ReplicaSetSpec {
  readonly replicas?: number;
  readonly template: PodTemplate;
}

export function syncReplicaSets(world: ClusterWorld, concerns: Concerns): void {
  for (const set of world.store.list('replicasets.apps')) if (concerns.object(set)) syncReplicaSet(world, set);
}

function syncReplicaSet(world: ClusterWorld, set: KubeObject): void {
  const { replicas = 1, template } = set.spec as ReplicaSetSpec;
  const active = listActive(world, set);
  for (let missing = replicas - active.length; missing > 0; missing -= 1) {
    const name = `${set.metadata.name}-${makeSuffix(world.context.random)}`;
    createPod(world, set, template, name, set.metadata.labels ?? {});
  }
  const surplus = [...active].sort((left, right) => Number(isReady(left)) - Number(isReady(right)));
  for (const pod of surplus.slice(0, Math.max(0, active.length - replicas))) markDeleted(world, pod);
  const pods = listActive(world, set);
  const ready = countReady(pods);
  world.store.update('replicasets.apps', {
    ...set,
    status: {
      replicas: pods.length,
      ...(ready > 0 ? { readyReplicas: ready, availableReplicas: ready } : {}),
      fullyLabeledReplicas: pods.length,
      observedGeneration: set.metadata['generation'] ?? 1,
    },
  });
}
