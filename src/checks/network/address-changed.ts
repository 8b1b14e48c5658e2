import type { Facts } from '../../facts/facts.ts';
import {
  addressesOf,
  clusterAddressesOf,
  currentAddress,
  holderOf,
  type NodeView,
  nodesOf,
} from '../../facts/select.ts';
import { familyOf, isSameAddress } from '../../manifests/address.ts';
import { type Check, conclude, type Problem } from '../check.ts';

export const addressChanged: Check = {
  id: 'network/address-changed',
  layer: 'network',
  severity: 'error',
  title: "Every node is at the address that it, Docker and the cluster's API agree on",
  after: ['containers/node-stopped'],
  run: (facts) => {
    if (!facts.containers.ok) return conclude([], [facts.containers.reason]);
    const problems: Problem[] = [];
    const unknown: string[] = [];
    for (const node of nodesOf(facts)) {
      const { container } = node;
      if (!container.running) continue;
      if (addressesOf(container).length === 0) {
        problems.push({
          subject: container.name,
          summary: `${container.name} has no address in Docker's network`,
          evidence: ['docker inspect shows no address'],
        });
        continue;
      }
      const views = statedAddresses(facts, node);
      const differing = views.filter(
        (view) => !addressesOf(container).some((current) => isSameAddress(current, view.address)),
      );
      if (differing.length > 0) problems.push(describe(facts, node, views, differing));
      else if (node.inside === undefined) unknown.push(`${container.name}: ${node.reason}`);
    }
    return conclude(problems, unknown);
  },
};

interface StatedAddress {
  readonly by: string;
  readonly address: string;
}

/** Who says which address of this node, apart from Docker. */
function statedAddresses(facts: Facts, { container, inside }: NodeView): StatedAddress[] {
  const views: StatedAddress[] = [];
  if (facts.api.ok) {
    const object = facts.api.value.nodes.find(({ name }) => name === container.name);
    for (const address of object?.internalAddresses ?? []) views.push({ by: 'INTERNAL-IP', address });
  }
  if (inside === undefined) return views;
  for (const { slot, address } of inside.addressSlots) if (slot === '--node-ip') views.push({ by: slot, address });
  if (inside.recordedIpv4.ok) views.push({ by: '/kind/old-ipv4', address: inside.recordedIpv4.value });
  if (inside.recordedIpv6.ok) views.push({ by: '/kind/old-ipv6', address: inside.recordedIpv6.value });
  // The interface proves Docker right: what Docker says and no interface has would be a fault of its own.
  if (inside.interfaces.ok) {
    for (const current of addressesOf(container)) {
      const has = inside.interfaces.value.some(({ addresses }) =>
        addresses.some((address) => isSameAddress(address, current)),
      );
      if (!has) {
        const others = inside.interfaces.value.flatMap(({ name, addresses }) =>
          addresses
            .filter((address) => familyOf(address) === familyOf(current))
            .map((address) => `${address} (${name})`),
        );
        views.push({ by: 'interface', address: others.join(', ') || 'none' });
      }
    }
  }
  return views;
}

function describe(
  facts: Facts,
  node: NodeView,
  views: readonly StatedAddress[],
  differing: readonly StatedAddress[],
): Problem {
  const { container } = node;
  // An address of the other family can be the only one that differs.
  const comparable = differing.filter(({ address }) => familyOf(address) !== 0);
  const current = [
    ...new Set([...clusterAddressesOf(node), ...comparable.map(({ address }) => currentAddress(container, address))]),
  ]
    .filter((address) => address !== '')
    .join(', ');
  const old = [...new Set(differing.map(({ address }) => address))];
  const holders = old.flatMap((address) => {
    const holder = holderOf(facts, address);
    return holder === undefined ? [] : [`${address} now belongs to ${holder}`];
  });
  return {
    subject: container.name,
    summary: `${container.name} is at ${current} now; ${differing.map(({ by }) => by).join(', ')} still ${differing.length === 1 ? 'says' : 'say'} ${old.join(', ')}`,
    evidence: [`Docker: ${current}`, ...views.map(({ by, address }) => `${by}: ${address}`), ...holders],
  };
}
