import * as z from 'zod';
import type { Laboratory } from './laboratory.ts';
import { type Cluster, type ClusterNode, kubectl, listKubernetesNodes } from './cluster.ts';

const nodeList = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string() }),
      status: z.object({
        addresses: z.array(z.object({ type: z.string(), address: z.string() })).default([]),
        conditions: z.array(z.object({ type: z.string(), status: z.string() })).default([]),
      }),
    }),
  ),
});

const leaseList = z.object({
  items: z.array(
    z.object({ metadata: z.object({ name: z.string() }), spec: z.object({ renewTime: z.string().optional() }) }),
  ),
});

/** What the API says of a node. */
export interface ReportedNode {
  readonly name: string;
  readonly ready: boolean;
  readonly internalAddress: string;
  /** When the kubelet last renewed its lease, in milliseconds since the epoch; 0 where it never did. */
  readonly renewedAt: number;
}

/** The kubelet's lease lasts 40 s; one renewed longer ago than this is a kubelet that cannot reach the API. */
const staleLeaseMs = 45_000;

/** What the API says of every node. Rejects where the API does not answer within a few seconds. */
export async function reportNodes(cluster: Cluster): Promise<ReportedNode[]> {
  const get = (...argv: string[]) =>
    cluster.lab.run(kubectl(cluster, 'get', ...argv, '--output', 'json', '--request-timeout', '3s'), {
      timeoutMs: 10_000,
    });
  const [nodes, leases] = await Promise.all([get('nodes'), get('leases', '--namespace', 'kube-node-lease')]);
  const renewed = new Map(
    leaseList
      .parse(JSON.parse(leases))
      .items.map((lease) => [lease.metadata.name, Date.parse(lease.spec.renewTime ?? '')]),
  );
  return nodeList.parse(JSON.parse(nodes)).items.map((node) => ({
    name: node.metadata.name,
    ready: node.status.conditions.some((condition) => condition.type === 'Ready' && condition.status === 'True'),
    internalAddress: node.status.addresses.find((address) => address.type === 'InternalIP')?.address ?? '',
    renewedAt: renewed.get(node.metadata.name) || 0,
  }));
}

/**
 * Tells why the cluster is not well, or nothing where it is: every node Ready, reported with the address that Docker
 * gave it, by a kubelet heard of since its container started and since `since` (milliseconds since the epoch).
 * `Ready` alone lags by up to 70 s behind a kubelet that cannot reach the API.
 */
export function explainUnwell(
  nodes: readonly ClusterNode[],
  reported: readonly ReportedNode[],
  now: number,
  since = 0,
): string | undefined {
  for (const node of nodes) {
    const report = reported.find((each) => each.name === node.name);
    if (!node.running) {
      return `${node.name} does not run`;
    }
    if (report === undefined) {
      return `${node.name} is not known to the API`;
    }
    if (!report.ready) {
      return `${node.name} is not Ready`;
    }
    if (report.internalAddress !== node.address) {
      return `${node.name} is reported at ${report.internalAddress} and is at ${node.address}`;
    }
    if (report.renewedAt < Math.max(node.startedAt, since) || now - report.renewedAt > staleLeaseMs) {
      return `the kubelet of ${node.name} was not heard of since ${new Date(report.renewedAt).toISOString()}`;
    }
  }
  return undefined;
}

/** Milliseconds. A controller manager or scheduler that has not renewed its lease for longer does not lead. */
const staleLeaderMs = 15_000;

/** Which of the components that lead by lease does not, or nothing where both do. */
async function explainStalled(cluster: Cluster, now: number): Promise<string | undefined> {
  const answer = await cluster.lab.run(
    kubectl(cluster, 'get', 'leases', '--namespace', 'kube-system', '--output', 'json', '--request-timeout', '3s'),
    { timeoutMs: 10_000 },
  );
  const leases = leaseList.parse(JSON.parse(answer)).items;
  for (const name of ['kube-controller-manager', 'kube-scheduler']) {
    const renewed = Date.parse(leases.find(({ metadata }) => metadata.name === name)?.spec.renewTime ?? '');
    if (!(now - renewed < staleLeaderMs))
      return `${name} has not renewed its lease since ${new Date(renewed || 0).toISOString()}`;
  }
  return undefined;
}

/** Rejects where the API server is not ready. */
async function askReady(cluster: Cluster): Promise<void> {
  await cluster.lab.run(kubectl(cluster, 'get', '--raw', '/readyz', '--request-timeout', '3s'), { timeoutMs: 10_000 });
}

/** Waits until the cluster is well and answers how many milliseconds that took. Rejects after `timeoutMs`. */
export async function waitUntilWell(
  cluster: Cluster,
  options: { readonly timeoutMs: number; readonly since?: number },
): Promise<number> {
  const { clock } = cluster.lab;
  const start = clock.now();
  for (;;) {
    let reason: string | undefined;
    try {
      const [nodes, reported] = await Promise.all([listKubernetesNodes(cluster), reportNodes(cluster)]);
      reason = explainUnwell(nodes, reported, clock.now(), options.since);
      // A server that has only just been started answers lists before it is ready.
      if (reason === undefined) await askReady(cluster);
      reason ??= await explainStalled(cluster, clock.now());
    } catch (error) {
      reason = error instanceof Error ? error.message : String(error);
    }
    const elapsed = clock.now() - start;
    if (reason === undefined) {
      return elapsed;
    }
    if (elapsed > options.timeoutMs) {
      throw new Error(`${cluster.name} is not well after ${Math.round(elapsed / 1000)} s: ${reason}`);
    }
    await clock.sleep(250);
  }
}

/** Asks again and again until the answer is yes. Rejects after `timeoutMs` with what was waited for. */
export async function waitFor(
  { clock }: Laboratory,
  what: string,
  condition: () => Promise<boolean>,
  options: { readonly timeoutMs: number; readonly everyMs?: number },
): Promise<void> {
  const deadline = clock.now() + options.timeoutMs;
  while (!(await condition())) {
    if (clock.now() > deadline) {
      throw new Error(`waited ${options.timeoutMs / 1000} s for ${what}`);
    }
    await clock.sleep(options.everyMs ?? 250);
  }
}
