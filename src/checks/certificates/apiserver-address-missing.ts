import { clusterAddressesOf, type NodeView, nodesOf } from '../../facts/select.ts';
import { familyOf, isSameAddress } from '../../manifests/address.ts';
import { type Check, conclude, type Problem } from '../check.ts';

export const apiserverAddressMissing: Check = {
  id: 'certificates/apiserver-address-missing',
  layer: 'certificates',
  severity: 'error',
  title: "The API server's certificate names the node's present address",
  after: ['containers/node-stopped', 'certificates/apiserver-missing', 'network/address-changed'],
  run: (facts) => {
    if (!facts.containers.ok) return conclude([], [facts.containers.reason]);
    const problems: Problem[] = [];
    const unknown: string[] = [];
    for (const node of nodesOf(facts)) {
      const { container, inside, reason } = node;
      if (container.role !== 'control-plane' || !container.running) continue;
      const certificate = inside?.certificates.apiserver;
      if (certificate === undefined || !certificate.ok) {
        unknown.push(`${container.name}: ${certificate === undefined ? reason : certificate.reason}`);
        continue;
      }
      const missing = advertisedAddresses(node).filter(
        (address) => !certificate.value.ipAddresses.some((named) => isSameAddress(named, address)),
      );
      if (missing.length > 0) {
        problems.push({
          subject: container.name,
          summary: `The API server's certificate on ${container.name} does not name ${missing.join(', ')}`,
          evidence: [
            `it names ${[...certificate.value.dnsNames, ...certificate.value.ipAddresses].join(', ')}`,
            `Docker: ${clusterAddressesOf(node).join(', ')}`,
          ],
        });
      }
    }
    return conclude(problems, unknown);
  },
};

/** kubeadm names the address that the API server advertises alone; dual-stack nodes have another one beside it. */
function advertisedAddresses(node: NodeView): string[] {
  const advertised = node.inside?.addressSlots.filter(({ slot }) => slot === '--advertise-address') ?? [];
  const families = new Set(advertised.map(({ address }) => familyOf(address)));
  return clusterAddressesOf(node).filter((address) => families.size === 0 || families.has(familyOf(address)));
}
