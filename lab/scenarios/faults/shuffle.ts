import { type Cluster, type ClusterNode, listKubernetesNodes, listNodes } from '../cluster.ts';
import type { Fault } from './fault.ts';
import { removeSquatter, startSquatter } from './helpers.ts';

/**
 * What a crash of the engine does to addresses. Every container of the cluster is killed without warning, then all are
 * started in an order in which Docker deals each node the address of another one. Where the engine deals otherwise,
 * this is repeated, at last with a squatter that takes the first free address, until every node has a new one.
 */
export const shuffle: Fault = {
  name: 'shuffle',
  summary: 'kill every container of the cluster and start them so that every node has a new address',
  stage: (cluster) => shuffleAddresses(cluster),
};

export interface AddressChange {
  readonly node: string;
  readonly from: string;
  readonly to: string;
}

export async function shuffleAddresses(cluster: Cluster): Promise<{ moved: AddressChange[]; turns: number }> {
  await listKubernetesNodes(cluster);
  const before = await listNodes(cluster);
  let order = before.toSorted(compareAddresses).map((node) => node.name);
  for (let turn = 1; turn <= 6; turn += 1) {
    await killAll(cluster, order);
    order = [...order.slice(1), ...order.slice(0, 1)];
    // Rotation alone never moves a single container, and moves fewer than all on engines that deal addresses otherwise.
    const squatter = order.length === 1 || turn > 3 ? await startSquatter(cluster, 'shuffle') : undefined;
    for (const name of order) {
      await cluster.lab.run(['docker', 'start', name]);
    }
    if (squatter !== undefined) {
      await removeSquatter(cluster, squatter);
    }
    const after = await listNodes(cluster);
    const moved = before.map((node) => ({
      node: node.name,
      from: node.address,
      to: after.find((each) => each.name === node.name)?.address ?? '',
    }));
    if (moved.every((change) => change.to !== change.from)) {
      return { moved, turns: turn };
    }
  }
  throw new Error(`the nodes of ${cluster.name} did not all get a new address in 6 turns`);
}

async function killAll(cluster: Cluster, names: readonly string[]): Promise<void> {
  // `kill` fails for containers that are stopped already; `stop` then makes sure that none is left running.
  await cluster.lab.attempt(['docker', 'kill', ...names]);
  await cluster.lab.run(['docker', 'stop', '--time', '1', ...names]);
}

function compareAddresses(left: ClusterNode, right: ClusterNode): number {
  return toNumber(left.address) - toNumber(right.address);
}

function toNumber(address: string): number {
  return address.split('.').reduce((number, part) => number * 256 + Number(part), 0);
}
