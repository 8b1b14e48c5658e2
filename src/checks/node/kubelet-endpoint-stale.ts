import type { Facts } from '../../facts/facts.ts';
import { currentAddress, holderOf, type NodeView } from '../../facts/select.ts';
import { isSameAddress } from '../../manifests/address.ts';
import type { Check, Problem } from '../check.ts';
import { judgeNodes } from '../per-node.ts';

/**
 * The runbook's fault. Kubernetes >= 1.33 writes a control plane's own address into its kubelet.conf, and the
 * entrypoints of kind <= v0.29 leave that file alone when the address changes.
 */
export const kubeletEndpointStale: Check = {
  id: 'node/kubelet-endpoint-stale',
  layer: 'node',
  severity: 'error',
  title: 'Every kubelet dials an address where the API server is',
  after: ['containers/node-stopped', 'network/address-changed'],
  run: (facts) =>
    judgeNodes(facts, (node, { problem, unknown }) => {
      const conf = node.inside.kubeconfigs.kubelet;
      if (!conf.ok) unknown(conf.reason);
      else if (isStaleEndpoint(facts, node, conf.value)) problem(describe(facts, node, conf.value));
    }),
};

/**
 * An address is right while a control plane of the cluster, or its load balancer, has it. A control plane's own files
 * must name itself: another control plane's address works today by chance.
 */
export function isStaleEndpoint(
  facts: Facts,
  node: NodeView,
  conf: { readonly host: string; readonly hostIsAddress: boolean },
): boolean {
  if (!conf.hostIsAddress) return false;
  return !servingAddresses(facts, node).some((address) => isSameAddress(address, conf.host));
}

function servingAddresses(facts: Facts, node: NodeView): string[] {
  if (node.container.role === 'control-plane') return [node.container.ipv4, node.container.ipv6, '127.0.0.1', '::1'];
  if (!facts.containers.ok) return [];
  return facts.containers.value.filter(({ role }) => role !== 'worker').flatMap(({ ipv4, ipv6 }) => [ipv4, ipv6]);
}

function describe(
  facts: Facts,
  node: NodeView,
  conf: { readonly server: string; readonly host: string },
): Omit<Problem, 'subject'> {
  const { container, inside } = node;
  const holder = holderOf(facts, conf.host);
  const present = currentAddress(container, conf.host);
  const dialErrors =
    inside?.kubeletDialErrors.ok === true
      ? inside.kubeletDialErrors.value.filter((line) => line.includes(conf.host)).slice(-1)
      : [];
  const where =
    container.role === 'control-plane' ? `${container.name} is at ${present} now` : 'no control plane is there';
  return {
    summary: `kubelet.conf points at ${conf.server}, but ${where}${holder === undefined || holder === container.name ? '' : ` (that address now belongs to ${holder})`}`,
    evidence: [
      `/etc/kubernetes/kubelet.conf: server: ${conf.server}`,
      `Docker: ${present}`,
      ...(inside?.entrypointRewritesKubeletConf.ok === true && !inside.entrypointRewritesKubeletConf.value
        ? ["this node image's entrypoint does not mend kubelet.conf at boot (kind v0.29 and older)"]
        : []),
      ...dialErrors.map((line) => `kubelet: ${line}`),
    ],
  };
}
