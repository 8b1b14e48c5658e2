import { components } from '../checks/node/component-endpoint-stale.ts';
import { isStaleEndpoint } from '../checks/node/kubelet-endpoint-stale.ts';
import type { ContainerFacts } from '../facts/containers.ts';
import type { Facts } from '../facts/facts.ts';
import type { KubeconfigFacts } from '../facts/node.ts';
import { addressesOf, currentAddress, type NodeView, nodesOf } from '../facts/select.ts';
import { isSameAddress, serverUrl } from '../manifests/address.ts';
import { type Proposal, type Repair, stopComponent, type WantedStep } from './repair.ts';

/**
 * Where a node's own clients should dial: its host name, or the cluster's name for workers, where the node resolves
 * it to the right container and the API server's certificate has it: that outlasts every later change of address. The
 * present address otherwise; a container that does not run has neither.
 */
function lastingEndpoint(
  facts: Facts,
  node: NodeView,
  conf: KubeconfigFacts,
): { readonly server: string; readonly reason: string } | { readonly missing: string } {
  const port = Number(new URL(conf.server).port || 443);
  const target =
    node.container.role === 'control-plane' ? { container: node.container, certificateOf: node } : entryPoint(facts);
  if (target === undefined) return { server: conf.server, reason: 'no control plane is known' };
  const name = target.container.name;
  const resolved = node.inside?.resolved[name];
  const addresses = [target.container.ipv4, target.container.ipv6];
  const certificate = target.certificateOf.inside?.certificates.apiserver;
  const resolves =
    resolved?.ok === true &&
    resolved.value.length > 0 &&
    resolved.value.every((address) => addresses.some((own) => isSameAddress(own, address)));
  // A certificate that is about to be made again names the node: kubeadm puts the host name into every one.
  const named = certificate === undefined || !certificate.ok || certificate.value.dnsNames.includes(name);
  if (resolves && named)
    return { server: serverUrl(name, port), reason: `the name ${name} outlasts changes of address` };
  const address = currentAddress(target.container, conf.host) || addressesOf(target.container)[0];
  if (address === undefined) return { missing: name };
  const why = resolves
    ? `the API server's certificate does not name ${name}`
    : `${node.container.name} does not resolve ${name}`;
  return { server: serverUrl(address, port), reason: `${why}, so the present address has to do` };
}

/** Where workers reach the API: the load balancer in HA, the control plane otherwise. */
function entryPoint(facts: Facts): { container: ContainerFacts; certificateOf: NodeView } | undefined {
  const controlPlane = nodesOf(facts).find(({ container }) => container.role === 'control-plane');
  if (controlPlane === undefined || !facts.containers.ok) return undefined;
  const balancer = facts.containers.value.find(({ role }) => role === 'external-load-balancer');
  return { container: balancer ?? controlPlane.container, certificateOf: controlPlane };
}

/** Points kubelet.conf at the API server by host name (by the present address where the name will not do) and restarts the kubelet. */
export const repointKubelet: Repair = {
  mends: ['node/kubelet-endpoint-stale'],
  byHand: ({ subject }) => [
    setServer(subject, '/etc/kubernetes/kubelet.conf'),
    `docker exec ${subject} systemctl restart kubelet`,
  ],
  propose: ({ subject }, facts) => {
    const node = nodesOf(facts).find(({ container }) => container.name === subject);
    const conf = node?.inside?.kubeconfigs.kubelet;
    if (node === undefined || conf === undefined || !conf.ok) return gone(subject);
    const endpoint = lastingEndpoint(facts, node, conf.value);
    if ('missing' in endpoint) return waitFor(endpoint.missing);
    const { server, reason } = endpoint;
    return {
      kind: 'steps',
      steps: [
        {
          step: {
            kind: 'edit-file',
            node: subject,
            path: '/etc/kubernetes/kubelet.conf',
            edits: [serverEdit(conf.value, server)],
          },
          risk: 'safe',
          reason: `the kubelet dials ${conf.value.server}; ${reason}`,
        },
        {
          step: { kind: 'restart-unit', node: subject, unit: 'kubelet' },
          risk: 'safe',
          reason: 'the kubelet reads kubelet.conf when it starts',
        },
      ],
    };
  },
};

/** Points controller-manager.conf and scheduler.conf at their own API server and restarts the two. */
export const repointComponents: Repair = {
  mends: ['node/component-endpoint-stale'],
  byHand: ({ subject }) =>
    components.flatMap(({ component, path }) => [setServer(subject, path), stopComponent(subject, component)]),
  propose: ({ subject }, facts) => {
    const node = nodesOf(facts).find(({ container }) => container.name === subject);
    if (node?.inside === undefined) return gone(subject);
    const steps: WantedStep[] = [];
    for (const { key, component, path } of components) {
      const conf = node.inside.kubeconfigs[key];
      if (!conf.ok || !isStaleEndpoint(facts, node, conf.value)) continue;
      const endpoint = lastingEndpoint(facts, node, conf.value);
      if ('missing' in endpoint) return waitFor(endpoint.missing);
      const { server, reason } = endpoint;
      steps.push(
        {
          step: { kind: 'edit-file', node: subject, path, edits: [serverEdit(conf.value, server)] },
          risk: 'safe',
          reason: `${component} dials ${conf.value.server}; ${reason}`,
        },
        {
          step: { kind: 'restart-component', node: subject, component },
          risk: 'safe',
          reason: `${component} reads its kubeconfig when it starts`,
        },
      );
    }
    return steps.length === 0 ? gone(subject) : { kind: 'steps', steps };
  },
};

function setServer(node: string, path: string): string {
  return `docker exec ${node} sed -i 's|server: https://.*:6443|server: https://${node}:6443|' ${path}`;
}

function serverEdit(conf: KubeconfigFacts, server: string) {
  return { from: conf.serverText, to: `server: ${server}` };
}

function waitFor(container: string): Proposal {
  return {
    kind: 'told',
    reason: `${container} has no address now; where to dial is known once it runs`,
    byHand: [`docker start ${container}`],
  };
}

function gone(subject: string): Proposal {
  return { kind: 'told', reason: `${subject} could not be looked into`, byHand: [] };
}
