import type { KubeObject } from '../contracts.ts';
import type { SimStage } from '../laboratory/stage.ts';

interface NodeStatus {
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  readonly addresses?: readonly { readonly type: string; readonly address: string }[];
}

/** A kubelet renews every 10 s, and a lease that is older than this has been missed more than once. Milliseconds. */
const freshMs = 30_000;

/**
 * What is wrong with the cluster by the world's own measure, whatever anybody says of it. `since`: when it was called
 * healed, in milliseconds since the epoch; leases have to have moved on from there.
 */
export function findIlls({ world, simCluster }: SimStage, since: number): string[] {
  const { store, guests, model } = simCluster;
  const now = world.clock.now();
  const ills: string[] = [];
  if (simCluster.answering() === undefined) ills.push('no API server answers on the published port');
  if (!model.etcdState().hasQuorum) ills.push('etcd has no quorum');
  for (const [name, { machine }] of guests) {
    if (world.docker.find(name).status !== 'running') ills.push(`${name} does not run`);
    if (machine.role === 'external-load-balancer') continue;
    const node = store.get('nodes', undefined, name);
    const { conditions = [], addresses = [] } = (node?.status ?? {}) as NodeStatus;
    const ready = conditions.find(({ type }) => type === 'Ready')?.status;
    if (ready !== 'True') ills.push(`${name} is Ready=${ready ?? 'unheard of'}`);
    const reported = addresses.find(({ type }) => type === 'InternalIP')?.address;
    const real = world.docker.interfaces(name)[0]?.ipv4;
    if (reported !== real) ills.push(`${name} is reported at ${reported} and is at ${real}`);
    ills.push(...tellStale(store.get(leases, 'kube-node-lease', name), `the lease of ${name}`));
  }
  for (const leader of ['kube-controller-manager', 'kube-scheduler'])
    ills.push(...tellStale(store.get(leases, 'kube-system', leader), `the lease of ${leader}`));
  return ills;

  function tellStale(lease: KubeObject | undefined, what: string): string[] {
    const { renewTime = '' } = (lease?.spec ?? {}) as { readonly renewTime?: string };
    const renewed = Date.parse(renewTime) || 0;
    if (renewed > since && now - renewed <= freshMs) return [];
    return [`${what} was renewed last ${Math.round((now - renewed) / 1000)} s ago`];
  }
}

const leases = 'leases.coordination.k8s.io';
