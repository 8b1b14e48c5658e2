import type { KubeObject } from '../../contracts.ts';
import { isReady, type Labels, type PodSpec, type Toleration, uidOf } from '../objects.ts';
import type { ClusterWorld } from '../world.ts';

export interface PodTemplate {
  readonly metadata?: { readonly labels?: Labels; readonly annotations?: Labels };
  readonly spec: PodSpec;
}

/** Every pod gets these from the admission of the API server, unless it names its own. */
const usualTolerations: readonly Toleration[] = ['not-ready', 'unreachable'].map((name) => ({
  effect: 'NoExecute',
  key: `node.kubernetes.io/${name}`,
  operator: 'Exists',
  tolerationSeconds: 300,
}));

export function createPod(
  world: ClusterWorld,
  owner: KubeObject,
  template: PodTemplate,
  name: string,
  labels: Labels,
  spec: Partial<PodSpec> = {},
): KubeObject {
  const { tolerations = [] } = { ...template.spec, ...spec };
  const missing = usualTolerations.filter(
    ({ key }) =>
      !tolerations.some((other) => (other.key === undefined || other.key === key) && other.effect !== 'NoSchedule'),
  );
  return world.store.create('pods', {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      ...(owner.metadata.namespace === undefined ? {} : { namespace: owner.metadata.namespace }),
      labels: { ...template.metadata?.labels, ...labels },
      ...(template.metadata?.annotations === undefined ? {} : { annotations: template.metadata.annotations }),
      ownerReferences: [
        {
          apiVersion: owner.apiVersion,
          kind: owner.kind,
          name: owner.metadata.name,
          uid: uidOf(owner),
          controller: true,
        },
      ],
    },
    spec: {
      restartPolicy: 'Always',
      schedulerName: 'default-scheduler',
      terminationGracePeriodSeconds: 30,
      ...template.spec,
      ...spec,
      tolerations: [...tolerations, ...missing],
    },
    status: { phase: 'Pending', qosClass: 'BestEffort' },
  });
}

/** Those that are not about to go. */
export function listActive(world: ClusterWorld, owner: KubeObject): readonly KubeObject[] {
  return world.pods.ownedBy(uidOf(owner)).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

export function countReady(pods: readonly KubeObject[]): number {
  return pods.filter(isReady).length;
}
