import type { AddressSlot } from '../../facts/node.ts';
import { addressesOf, currentAddress, type NodeView } from '../../facts/select.ts';
import { isSameAddress } from '../../manifests/address.ts';
import type { Check } from '../check.ts';
import { judgeNodes } from '../per-node.ts';

/**
 * kind's entrypoint rewrites these files at boot, one after another, and stores the new address before the last of
 * them: a crash in between, or an address that changes while the node runs, leaves them behind for good.
 */
export const manifestAddressStale: Check = {
  id: 'node/manifest-address-stale',
  layer: 'node',
  severity: 'error',
  title: "Every file of a node that names the node's own address names the present one",
  after: ['containers/node-stopped', 'network/address-changed'],
  run: (facts) =>
    judgeNodes(facts, (node, { problem, unknown }) => {
      const { container, inside } = node;
      if (addressesOf(container).length === 0) return;
      for (const [file, why] of Object.entries(inside.unreadFiles)) unknown(`${file}: ${why}`);
      const stale = staleSlots(node);
      if (stale.length === 0) return;
      const files = [...new Set(stale.map(({ file }) => file))];
      const old = [...new Set(stale.map(({ address }) => address))];
      const present = [
        ...new Set(old.map((address) => currentAddress(container, address) || 'no address of that family')),
      ];
      problem({
        summary: `${files.map((file) => file.split('/').at(-1)).join(', ')} on ${container.name} still ${files.length === 1 ? 'names' : 'name'} ${old.join(', ')}; the node is at ${present.join(', ')} now`,
        evidence: stale.map(({ file, slot, address }) => `${file} ${slot}: ${address}`),
      });
    }),
};

/** The places with another address than the node's present ones, /kind/old-ipv4 and -ipv6 among them. */
export function staleSlots({ container, inside }: NodeView): AddressSlot[] {
  if (inside === undefined) return [];
  const current = addressesOf(container);
  const recorded: AddressSlot[] = [
    { file: '/kind/old-ipv4', observed: inside.recordedIpv4 },
    { file: '/kind/old-ipv6', observed: inside.recordedIpv6 },
  ].flatMap(({ file, observed }) =>
    observed.ok ? [{ file, slot: 'recorded address', address: observed.value, text: observed.value }] : [],
  );
  return [...inside.addressSlots, ...recorded].filter(
    ({ address }) => !current.some((present) => isSameAddress(present, address)),
  );
}
