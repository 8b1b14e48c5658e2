import { addressesOf, clusterAddressesOf, nodesOf } from '../../facts/select.ts';
import { isSameAddress } from '../../manifests/address.ts';
import { type Check, conclude, type Problem } from '../check.ts';

export const nodeAddressStale: Check = {
  id: 'nodes/address-stale',
  layer: 'nodes',
  severity: 'error',
  title: "Every node's INTERNAL-IP is the address that Docker gives it",
  after: [
    'containers/node-stopped',
    'network/address-changed',
    'node/manifest-address-stale',
    'node/kubelet-endpoint-stale',
    'certificates/apiserver-address-missing',
    'node/kubelet-down',
  ],
  run: (facts) => {
    if (!facts.containers.ok) return conclude([], [facts.containers.reason]);
    if (!facts.api.ok) return conclude([], [facts.api.reason]);
    const problems: Problem[] = [];
    for (const node of nodesOf(facts)) {
      const { container } = node;
      const object = facts.api.value.nodes.find(({ name }) => name === container.name);
      const current = addressesOf(container);
      if (object === undefined || current.length === 0) continue;
      const stale = object.internalAddresses.filter(
        (address) => !current.some((present) => isSameAddress(present, address)),
      );
      if (object.internalAddresses.length === 0) {
        problems.push({
          subject: container.name,
          summary: `${container.name} has no INTERNAL-IP; Docker has it at ${clusterAddressesOf(node).join(', ')}`,
          evidence: ['INTERNAL-IP: none', `Docker: ${clusterAddressesOf(node).join(', ')}`],
        });
      } else if (stale.length > 0) {
        const twins = facts.api.value.nodes.filter(
          ({ name, internalAddresses }) =>
            name !== container.name && internalAddresses.some((address) => stale.includes(address)),
        );
        problems.push({
          subject: container.name,
          summary: `INTERNAL-IP of ${container.name} is ${stale.join(', ')}; Docker has it at ${clusterAddressesOf(node).join(', ')}`,
          evidence: [
            `INTERNAL-IP: ${stale.join(', ')}`,
            `Docker: ${clusterAddressesOf(node).join(', ')}`,
            ...twins.map(({ name }) => `${name} shows the same address`),
          ],
        });
      }
    }
    return conclude(problems);
  },
};
