import type { KubeObject } from '../contracts.ts';
import type { KubeletContext } from './kubelet-context.ts';
import type { StaticPodManifest } from './manifest.ts';
import { statusOf } from './objects.ts';
import { buildPodStatus, type PodObservation } from './pod-status.ts';
import { toTime } from './words.ts';
import type { ClusterWorld } from './world.ts';

const hashKey = 'kubernetes.io/config.hash';

/** Whether the API holds the mirror of this very manifest. */
export function mirrorMatches(world: ClusterWorld, { namespace, name, uid }: StaticPodManifest): boolean {
  return world.store.get('pods', namespace, name)?.metadata.annotations?.[hashKey] === uid;
}

/** Shows a static pod in the API; one of an older manifest is replaced. */
export function writeMirror(
  kubelet: KubeletContext,
  manifest: StaticPodManifest,
  state: Pick<PodObservation, 'containers' | 'waiting' | 'started' | 'ready'>,
): void {
  const { world, machine } = kubelet;
  const { store } = world;
  const node = store.get('nodes', undefined, machine.name);
  if (node === undefined) return;
  let mirror = store.get('pods', manifest.namespace, manifest.name);
  const isOther = mirror !== undefined && mirror.metadata.annotations?.[hashKey] !== manifest.uid;
  if (mirror !== undefined && (isOther || mirror.metadata.deletionTimestamp !== undefined)) {
    store.remove('pods', manifest.namespace, manifest.name);
    mirror = undefined;
  }
  const now = world.context.clock.now();
  mirror ??= store.create('pods', buildMirror(manifest, node, toTime(now)));
  const nodeIp = kubelet.nodeIp();
  const status = buildPodStatus(statusOf(mirror), {
    ...state,
    name: manifest.containerName,
    image: manifest.image,
    hostIp: nodeIp,
    podIp: nodeIp,
    now,
  });
  store.update('pods', { ...mirror, status });
}

export function deleteMirror(world: ClusterWorld, { metadata }: KubeObject): void {
  world.store.remove('pods', metadata.namespace, metadata.name);
}

function buildMirror(manifest: StaticPodManifest, node: KubeObject, seenAt: string): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: manifest.name,
      namespace: manifest.namespace,
      labels: manifest.labels,
      annotations: {
        ...manifest.annotations,
        [hashKey]: manifest.uid,
        'kubernetes.io/config.mirror': manifest.uid,
        'kubernetes.io/config.seen': seenAt,
        'kubernetes.io/config.source': 'file',
      },
      ownerReferences: [
        { apiVersion: 'v1', kind: 'Node', name: node.metadata.name, uid: node.metadata.uid ?? '', controller: true },
      ],
    },
    spec: {
      ...manifest.spec,
      nodeName: node.metadata.name,
      restartPolicy: 'Always',
      tolerations: [{ effect: 'NoExecute', operator: 'Exists' }],
    },
    status: { phase: 'Pending' },
  };
}
