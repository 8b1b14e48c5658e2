import { createHash } from 'node:crypto';
import type { KubeObject } from '../../contracts.ts';
import { conditionsOf, controllerOf, ensureObject, groupBy, type Labels, setCondition, uidOf } from '../objects.ts';
import { toTime } from '../words.ts';
import type { ClusterWorld } from '../world.ts';
import type { Concerns } from './dirty.ts';
import { countReady, listActive, type PodTemplate } from './pods.ts';

interface DeploymentSpec {
  readonly replicas?: number;
  readonly selector?: { readonly matchLabels?: Labels };
  readonly template: PodTemplate;
}

export function syncDeployments(world: ClusterWorld, concerns: Concerns): void {
  const deployments = world.store.list('deployments.apps').filter(concerns.object);
  if (deployments.length === 0) return;
  const sets = groupBy(world.store.list('replicasets.apps'), (set) => controllerOf(set) ?? '');
  for (const deployment of deployments) syncDeployment(world, deployment, sets.get(uidOf(deployment)) ?? []);
}

function syncDeployment(world: ClusterWorld, deployment: KubeObject, before: readonly KubeObject[]): void {
  const { store } = world;
  const { replicas = 1, template, selector } = deployment.spec as DeploymentSpec;
  const hash = hashTemplate(template);
  const name = `${deployment.metadata.name}-${hash}`;
  const labels = { ...template.metadata?.labels, 'pod-template-hash': hash };
  const current = ensureObject(store, 'replicasets.apps', {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name,
      namespace: deployment.metadata.namespace ?? 'default',
      labels,
      annotations: { 'deployment.kubernetes.io/revision': String(before.length + 1) },
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          name: deployment.metadata.name,
          uid: uidOf(deployment),
          controller: true,
        },
      ],
    },
    spec: { replicas, selector: { matchLabels: { ...selector?.matchLabels, 'pod-template-hash': hash } }, template },
  });
  scale(world, current, replicas);
  const pods = listActive(world, current);
  const ready = countReady(pods);
  // The new pods take over when they are ready.
  for (const old of before) if (old.metadata.name !== name && ready >= replicas) scale(world, old, 0);
  reportStatus(world, deployment, { replicas, pods: pods.length, ready });
}

function scale({ store }: ClusterWorld, set: KubeObject, replicas: number): void {
  if ((set.spec as { readonly replicas?: number }).replicas === replicas) return;
  store.update('replicasets.apps', { ...set, spec: { ...(set.spec as object), replicas } });
}

function reportStatus(
  world: ClusterWorld,
  deployment: KubeObject,
  { replicas, pods, ready }: { replicas: number; pods: number; ready: number },
): void {
  const time = toTime(world.context.clock.now());
  const isAvailable = ready >= Math.max(0, replicas - Math.floor(replicas / 4)) && ready >= Math.min(1, replicas);
  const conditions = setCondition(conditionsOf(deployment), {
    type: 'Available',
    status: isAvailable ? 'True' : 'False',
    reason: isAvailable ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
    message: `Deployment ${isAvailable ? 'has' : 'does not have'} minimum availability.`,
    lastTransitionTime: time,
  });
  world.store.update('deployments.apps', {
    ...deployment,
    status: {
      replicas: pods,
      updatedReplicas: pods,
      ...(ready > 0 ? { readyReplicas: ready, availableReplicas: ready } : {}),
      ...(replicas > ready ? { unavailableReplicas: replicas - ready } : {}),
      observedGeneration: deployment.metadata['generation'] ?? 1,
      conditions,
    },
  });
}

const hashLetters = '456789bcdf';

/** Ten letters as Kubernetes takes them, so that another template has another name. */
export function hashTemplate(template: PodTemplate): string {
  const digest = createHash('sha256').update(JSON.stringify(template)).digest();
  return [...digest.subarray(0, 10)].map((byte) => hashLetters[byte % 10]).join('');
}
