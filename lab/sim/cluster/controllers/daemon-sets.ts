import type { KubeObject } from '../../contracts.ts';
import { makeSuffix } from '../../random.ts';
import { isReady, type Labels, specOf, type Toleration } from '../objects.ts';
import type { ClusterWorld } from '../world.ts';
import type { Concerns } from './dirty.ts';
import { markDeleted } from './deletion.ts';
import { createPod, listActive, type PodTemplate } from './pods.ts';

const pressure = ['disk-pressure', 'memory-pressure', 'pid-pressure', 'unschedulable', 'network-unavailable'];
/** What the controller adds, so that nothing drives these pods away. */
const daemonTolerations: readonly Toleration[] = [
  ...['not-ready', 'unreachable'].map((name) => ({
    effect: 'NoExecute',
    key: `node.kubernetes.io/${name}`,
    operator: 'Exists',
  })),
  ...pressure.map((name) => ({ effect: 'NoSchedule', key: `node.kubernetes.io/${name}`, operator: 'Exists' })),
];

export function syncDaemonSets(world: ClusterWorld, concerns: Concerns): void {
  const nodes = world.store.list('nodes');
  for (const set of world.store.list('daemonsets.apps')) if (concerns.object(set)) syncDaemonSet(world, set, nodes);
}

function syncDaemonSet(world: ClusterWorld, set: KubeObject, nodes: readonly KubeObject[]): void {
  const { template } = set.spec as { readonly template: PodTemplate };
  const wanted = nodes.filter(({ metadata }) => matchesLabels(metadata.labels ?? {}, template.spec.nodeSelector ?? {}));
  const pods = new Map<string, KubeObject>();
  for (const pod of listActive(world, set)) {
    const node = wantedNodeOf(pod);
    if (pods.has(node) || !wanted.some(({ metadata }) => metadata.name === node)) markDeleted(world, pod);
    else pods.set(node, pod);
  }
  for (const { metadata } of wanted) {
    if (pods.has(metadata.name)) continue;
    const name = `${set.metadata.name}-${makeSuffix(world.context.random)}`;
    createPod(
      world,
      set,
      template,
      name,
      { 'pod-template-generation': '1' },
      {
        tolerations: [...(template.spec.tolerations ?? []), ...daemonTolerations],
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [metadata.name] }] }],
            },
          },
        },
      },
    );
  }
  const ready = [...pods.values()].filter(isReady).length;
  world.store.update('daemonsets.apps', {
    ...set,
    status: {
      currentNumberScheduled: pods.size,
      desiredNumberScheduled: wanted.length,
      ...(ready > 0 ? { numberAvailable: ready } : {}),
      ...(wanted.length > ready ? { numberUnavailable: wanted.length - ready } : {}),
      numberMisscheduled: 0,
      numberReady: ready,
      observedGeneration: set.metadata['generation'] ?? 1,
      updatedNumberScheduled: pods.size,
    },
  });
}

export function matchesLabels(labels: Labels, selector: Labels): boolean {
  return Object.entries(selector).every(([key, value]) => labels[key] === value);
}

interface NodeAffinity {
  readonly nodeAffinity?: {
    readonly requiredDuringSchedulingIgnoredDuringExecution?: {
      readonly nodeSelectorTerms?: readonly {
        readonly matchFields?: readonly { readonly key: string; readonly values?: readonly string[] }[];
      }[];
    };
  };
}

/** The only node that a daemon's pod may be on; empty for others. */
export function wantedNodeOf(pod: KubeObject): string {
  const { nodeAffinity } = (specOf(pod).affinity ?? {}) as NodeAffinity;
  const [term] = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  return term?.matchFields?.find(({ key }) => key === 'metadata.name')?.values?.[0] ?? '';
}
