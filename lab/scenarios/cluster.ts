import * as z from 'zod';
import type { Laboratory } from './laboratory.ts';
import { type Profile, profiles, recognizeProfile, renderKindConfig } from './profiles.ts';

/** A kind cluster of the lab, whether it exists or not. */
export interface Cluster<Lab extends Laboratory = Laboratory> {
  readonly lab: Lab;
  readonly name: string;
}

export interface ClusterNode {
  readonly cluster: string;
  readonly name: string;
  readonly role: string;
  readonly running: boolean;
  /** Docker's address of the container on kind's network; empty while it does not run. */
  readonly address: string;
  /** When the container was last started, in milliseconds since the epoch. */
  readonly startedAt: number;
}

export interface ClusterSummary {
  readonly name: string;
  /** Absent where the cluster has the shape of no profile. */
  readonly profile?: string;
  readonly nodes: readonly ClusterNode[];
}

const clusterLabel = 'io.x-k8s.kind.cluster';
const roleLabel = 'io.x-k8s.kind.role';
/** Label of the containers that a fault puts beside the nodes; its value is the cluster's name. */
export const helperLabel = 'rekindle.lab.cluster';

const inspected = z.array(
  z.object({
    Name: z.string(),
    Config: z.object({ Labels: z.record(z.string(), z.string()) }),
    State: z.object({ Running: z.boolean(), StartedAt: z.string() }),
    NetworkSettings: z.object({ Networks: z.record(z.string(), z.object({ IPAddress: z.string() })) }),
  }),
);

/** Every container of every kind cluster of the engine, by cluster, in order of name. */
export async function listClusters(lab: Laboratory): Promise<ClusterSummary[]> {
  const nodes = await inspectNodes(lab, clusterLabel);
  const names = [...new Set(nodes.map((node) => node.cluster))].toSorted();
  return names.map((name) => summarize(name, nodes));
}

/** Every container of the cluster, the load balancer too, in order of name; empty where there is no such cluster. */
export function listNodes(cluster: Cluster): Promise<ClusterNode[]> {
  return inspectNodes(cluster.lab, `${clusterLabel}=${cluster.name}`);
}

/** The nodes that run Kubernetes. Rejects where the cluster does not exist. */
export async function listKubernetesNodes(cluster: Cluster): Promise<ClusterNode[]> {
  const nodes = (await listNodes(cluster)).filter((node) => node.role === 'control-plane' || node.role === 'worker');
  if (nodes.length === 0) {
    throw new Error(`there is no cluster ${cluster.name}: npm run lab -- up workers --name ${cluster.name}`);
  }
  return nodes;
}

export async function listControlPlanes(cluster: Cluster): Promise<ClusterNode[]> {
  return (await listKubernetesNodes(cluster)).filter((node) => node.role === 'control-plane');
}

/** The named node, or the first control plane where none is named. */
export async function pickNode(cluster: Cluster, name: string | undefined): Promise<ClusterNode> {
  const nodes = await listKubernetesNodes(cluster);
  const node = nodes.find((each) => (name === undefined ? each.role === 'control-plane' : each.name === name));
  if (node === undefined) {
    throw new Error(`${cluster.name} has no node ${name}; it has ${nodes.map((each) => each.name).join(', ')}`);
  }
  return node;
}

/**
 * Makes the cluster where it does not exist. One of the same profile is kept as it is, broken or not.
 * Rejects where one of another shape is in the way.
 */
export async function createCluster(cluster: Cluster, profileName: string): Promise<'created' | 'kept'> {
  const profile = profiles[profileName];
  if (profile === undefined) {
    throw new Error(`there is no profile ${profileName}; there are ${Object.keys(profiles).join(', ')}`);
  }
  const nodes = await listNodes(cluster);
  if (nodes.length > 0) {
    const shape = countRoles(nodes);
    if (shape.controlPlanes !== profile.controlPlanes || shape.workers !== profile.workers) {
      throw new Error(
        `${cluster.name} exists with ${shape.controlPlanes} control plane(s) and ${shape.workers} worker(s), ` +
          `which is not the profile ${profileName}. Use another --name, or: npm run lab -- down --name ${cluster.name}`,
      );
    }
    return 'kept';
  }
  await cluster.lab.run(
    [
      'kind',
      'create',
      'cluster',
      '--name',
      cluster.name,
      '--image',
      cluster.lab.nodeImage,
      '--config',
      '-',
      '--wait',
      '180s',
    ],
    { stdin: renderKindConfig(profile), show: 'stderr' },
  );
  return 'created';
}

/** Deletes the cluster and the containers that faults put beside it. */
export async function deleteCluster(cluster: Cluster): Promise<void> {
  await removeHelpers(cluster);
  await cluster.lab.run(['kind', 'delete', 'cluster', '--name', cluster.name], { show: 'stderr' });
}

/** Removes the containers that faults put beside the cluster and answers their names. */
export async function removeHelpers(cluster: Cluster): Promise<string[]> {
  const format = ['--format', '{{.Names}}'];
  const listed = await cluster.lab.run(
    ['docker', 'ps', '--all', '--filter', `label=${helperLabel}=${cluster.name}`, ...format],
    {},
  );
  const names = listed.split('\n').filter((name) => name !== '');
  if (names.length > 0) {
    await cluster.lab.run(['docker', 'rm', '--force', '--volumes', ...names]);
  }
  return names;
}

/** `kubectl` against the cluster, through the lab's kubeconfig. */
export function kubectl(cluster: Cluster, ...argv: readonly string[]): readonly string[] {
  return ['kubectl', '--context', `kind-${cluster.name}`, ...argv];
}

async function inspectNodes(lab: Laboratory, label: string): Promise<ClusterNode[]> {
  const ids = (await lab.run(['docker', 'ps', '--all', '--quiet', '--filter', `label=${label}`]))
    .split('\n')
    .filter((id) => id !== '');
  if (ids.length === 0) {
    return [];
  }
  return inspected
    .parse(JSON.parse(await lab.run(['docker', 'inspect', ...ids])))
    .map((container) => ({
      cluster: container.Config.Labels[clusterLabel] ?? '',
      name: container.Name.replace(/^\//, ''),
      role: container.Config.Labels[roleLabel] ?? '',
      running: container.State.Running,
      address: container.NetworkSettings.Networks.kind?.IPAddress ?? '',
      startedAt: Date.parse(container.State.StartedAt),
    }))
    .toSorted((left, right) => (left.name < right.name ? -1 : 1));
}

function summarize(name: string, all: readonly ClusterNode[]): ClusterSummary {
  const nodes = all.filter((node) => node.cluster === name);
  const profile = recognizeProfile(countRoles(nodes));
  return { name, ...(profile === undefined ? {} : { profile }), nodes };
}

function countRoles(nodes: readonly ClusterNode[]): Profile {
  const count = (role: string) => nodes.filter((node) => node.role === role).length;
  return { controlPlanes: count('control-plane'), workers: count('worker') };
}
