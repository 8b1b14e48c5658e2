import type { KubeObject } from '../../contracts.ts';
import { ensureObject, isReady, uidOf } from '../objects.ts';
import type { ClusterWorld } from '../world.ts';
import type { Concerns } from './dirty.ts';
import { createPod, type PodTemplate } from './pods.ts';

interface StatefulSetSpec {
  readonly replicas?: number;
  readonly template: PodTemplate;
  readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string }; readonly spec: unknown }[];
}

export function syncStatefulSets(world: ClusterWorld, concerns: Concerns): void {
  for (const set of world.store.list('statefulsets.apps')) if (concerns.object(set)) syncStatefulSet(world, set);
}

/** A name has one pod at most: its successor waits until it is gone from the API. */
function syncStatefulSet(world: ClusterWorld, set: KubeObject): void {
  const { replicas = 1, template, volumeClaimTemplates = [] } = set.spec as StatefulSetSpec;
  const pods = new Map(world.pods.ownedBy(uidOf(set)).map((pod) => [pod.metadata.name, pod]));
  let ready = 0;
  for (let ordinal = 0; ordinal < replicas; ordinal += 1) {
    const name = `${set.metadata.name}-${ordinal}`;
    const pod = pods.get(name);
    if (pod === undefined) {
      createReplica(world, set, template, name, volumeClaimTemplates);
      break;
    }
    if (!isReady(pod)) break;
    ready += 1;
  }
  world.store.update('statefulsets.apps', {
    ...set,
    status: {
      replicas: pods.size,
      currentReplicas: pods.size,
      updatedReplicas: pods.size,
      ...(ready > 0 ? { readyReplicas: ready } : {}),
      availableReplicas: ready,
      observedGeneration: set.metadata['generation'] ?? 1,
    },
  });
}

function createReplica(
  world: ClusterWorld,
  set: KubeObject,
  template: PodTemplate,
  name: string,
  claims: NonNullable<StatefulSetSpec['volumeClaimTemplates']>,
): void {
  const namespace = set.metadata.namespace ?? 'default';
  const volumes = claims.map(({ metadata, spec }) => {
    const claimName = `${metadata.name}-${name}`;
    ensureObject(world.store, 'persistentvolumeclaims', {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: claimName, namespace },
      spec,
      status: { phase: 'Pending' },
    });
    return { name: metadata.name, persistentVolumeClaim: { claimName } };
  });
  const labels = {
    'statefulset.kubernetes.io/pod-name': name,
    'apps.kubernetes.io/pod-index': name.split('-').at(-1) ?? '0',
  };
  createPod(world, set, template, name, labels, volumes.length === 0 ? {} : { volumes });
}
