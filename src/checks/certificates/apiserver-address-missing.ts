import { clusterAddressesOf, type NodeView } from '../../facts/select.ts';
import { familyOf, isSameAddress } from '../../manifests/address.ts';
import type { Check } from '../check.ts';
import { judgeNodes } from '../per-node.ts';

export const apiserverAddressMissing: Check = {
  id: 'certificates/apiserver-address-missing',
  layer: 'certificates',
  severity: 'error',
  title: "The API server's certificate names the node's present address",
  after: ['containers/node-stopped', 'certificates/apiserver-missing', 'network/address-changed'],
  run: (facts) =>
    judgeNodes(
      facts,
      (node, { problem, unknown }) => {
        const { container, inside } = node;
        const certificate = inside.certificates.apiserver;
        if (!certificate.ok) return unknown(certificate.reason);
        const { dnsNames, ipAddresses } = certificate.value;
        const missing = advertisedAddresses(node).filter(
          (address) => !ipAddresses.some((named) => isSameAddress(named, address)),
        );
        if (missing.length === 0) return;
        problem({
          summary: `The API server's certificate on ${container.name} does not name ${missing.join(', ')}`,
          evidence: [
            `it names ${[...dnsNames, ...ipAddresses].join(', ')}`,
            `Docker: ${clusterAddressesOf(node).join(', ')}`,
          ],
        });
      },
      'control-planes',
    ),
};

/** kubeadm names the address that the API server advertises alone; dual-stack nodes have another one beside it. */
function advertisedAddresses(node: NodeView): string[] {
  const advertised = node.inside?.addressSlots.filter(({ slot }) => slot === '--advertise-address') ?? [];
  const families = new Set(advertised.map(({ address }) => familyOf(address)));
  return clusterAddressesOf(node).filter((address) => families.size === 0 || families.has(familyOf(address)));
}
