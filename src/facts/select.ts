import { familyOf } from '../manifests/address.ts';
import type { ContainerFacts } from './containers.ts';
import type { Facts } from './facts.ts';
import type { NodeFacts } from './node.ts';

/** A node with its container; `inside` is absent where it could not be looked into. */
export interface NodeView {
  readonly container: ContainerFacts;
  readonly inside: NodeFacts | undefined;
  /** Why `inside` is absent. */
  readonly reason: string;
}

/**
 * The order of two names. By their code units: the first comparison by a language's rules loads tables for 10 ms and more,
 * and the names of containers have none.
 */
export function compareText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The cluster's node containers (not its load balancer), control planes first, by name. */
export function nodesOf(facts: Facts): NodeView[] {
  if (!facts.containers.ok) return [];
  return facts.containers.value
    .filter((container) => container.role !== 'external-load-balancer')
    .sort((left, right) => compareText(left.role, right.role) || compareText(left.name, right.name))
    .map((container) => {
      const inside = facts.nodes[container.name];
      if (inside === undefined) return { container, inside: undefined, reason: 'not gathered' };
      return inside.ok
        ? { container, inside: inside.value, reason: '' }
        : { container, inside: undefined, reason: inside.reason };
    });
}

/** The node's present address of the same family as another address. */
export function currentAddress(container: ContainerFacts, like: string): string {
  return familyOf(like) === 6 ? container.ipv6 : container.ipv4;
}

/** Every address the container has in kind's network now. */
export function addressesOf(container: ContainerFacts): string[] {
  return [container.ipv4, container.ipv6].filter((address) => address !== '');
}

/**
 * The addresses that the cluster uses of those Docker gives: kind's network has IPv6 as well, while most clusters use
 * IPv4 alone. Told by the families in the node's own files; IPv4 where they tell nothing.
 */
export function clusterAddressesOf({ container, inside }: NodeView): string[] {
  const families = new Set(inside?.addressSlots.map(({ address }) => familyOf(address)));
  if (families.size === 0) families.add(container.ipv4 === '' ? 6 : 4);
  return addressesOf(container).filter((address) => families.has(familyOf(address)));
}

/** Which container of kind's network has an address now; undefined where none has, or the network is unknown. */
export function holderOf(facts: Facts, address: string): string | undefined {
  if (!facts.network.ok) return undefined;
  return facts.network.value.members.find((member) => member.ipv4 === address || member.ipv6 === address)?.container;
}

/** Seconds since the node's container was started, at the time of the facts. */
export function secondsUp(facts: Facts, container: ContainerFacts, inside: NodeFacts | undefined): number {
  return secondsSince(facts, container.startedAt, inside);
}

/** Seconds from a time that the engine's clock told, in ISO 8601, to the time of the facts. */
export function secondsSince(facts: Facts, time: string, inside?: NodeFacts): number {
  return (engineNow(facts, inside) - Date.parse(time)) / 1000;
}

/** The engine's clock at the time of the facts, in milliseconds; this host's where no node told. All nodes share it. */
export function engineNow(facts: Facts, inside?: NodeFacts): number {
  const told = [inside, ...Object.values(facts.nodes).map((node) => (node.ok ? node.value : undefined))];
  const clock = told.find((node) => node?.clockAheadMs.ok === true)?.clockAheadMs;
  return Date.parse(facts.gatheredAt) + (clock?.ok === true ? clock.value : 0);
}

/** A static pod's newest container on each control plane that could be looked into. */
export function componentsOf(
  facts: Facts,
  component: string,
): { readonly node: string; readonly state: string; readonly secondsOld: number }[] {
  return nodesOf(facts).flatMap(({ container, inside }) =>
    inside?.components.ok === true
      ? inside.components.value
          .filter(({ name }) => name === component)
          .map(({ state, createdAt }) => ({
            node: container.name,
            state,
            secondsOld: secondsSince(facts, createdAt, inside),
          }))
      : [],
  );
}
