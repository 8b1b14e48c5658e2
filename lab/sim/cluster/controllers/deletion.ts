import type { KubeObject } from '../../contracts.ts';
import { specOf } from '../objects.ts';
import { toTime } from '../words.ts';
import type { ClusterWorld } from '../world.ts';

/** Asks for a pod's end: its kubelet removes it. One that no node has yet is gone at once. */
export function markDeleted(world: ClusterWorld, pod: KubeObject): void {
  const { namespace, name, deletionTimestamp } = pod.metadata;
  if (deletionTimestamp !== undefined) return;
  if ((specOf(pod).nodeName ?? '') === '') {
    world.store.remove('pods', namespace, name);
    return;
  }
  const seconds = Number(specOf(pod)['terminationGracePeriodSeconds'] ?? 30);
  world.store.update('pods', {
    ...pod,
    metadata: {
      ...pod.metadata,
      deletionTimestamp: toTime(world.context.clock.now() + seconds * 1000),
      deletionGracePeriodSeconds: seconds,
    },
  });
}
