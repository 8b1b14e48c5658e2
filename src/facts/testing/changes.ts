import { familyOf, isSameAddress, serverUrl } from '../../manifests/address.ts';
import { withAddress } from '../../manifests/slots.ts';
import type { ApiFacts, ApiNodeFacts } from '../api.ts';
import type { ContainerFacts } from '../containers.ts';
import type { Facts } from '../facts.ts';
import type { HostKubeconfigFacts } from '../host.ts';
import type { NodeFacts } from '../node.ts';
import { seen, unseen } from '../observed.ts';
import { addressOf, controlPlane, kubeconfigOf, makeFacts, secondsBefore, withWorkers } from './facts.ts';

/** Changes to facts, each answering new ones. They throw where there is nothing of the kind to change. */

export function withContainer(
  facts: Facts,
  name: string,
  change: (container: ContainerFacts) => ContainerFacts,
): Facts {
  containerOf(facts, name);
  const list = facts.containers.ok ? facts.containers.value : [];
  return {
    ...facts,
    containers: seen(list.map((container) => (container.name === name ? change(container) : container))),
  };
}

export function withNode(facts: Facts, name: string, change: (node: NodeFacts) => NodeFacts): Facts {
  return { ...facts, nodes: { ...facts.nodes, [name]: seen(change(nodeOf(facts, name))) } };
}

export function withEveryNode(facts: Facts, change: (node: NodeFacts) => NodeFacts): Facts {
  return Object.keys(facts.nodes).reduce((changed, name) => withNode(changed, name, change), facts);
}

export function withUnreadableNode(facts: Facts, name: string, reason = 'the exec did not end within 20 s'): Facts {
  return { ...facts, nodes: { ...facts.nodes, [name]: unseen(reason) } };
}

export function withApi(facts: Facts, change: (api: ApiFacts) => ApiFacts): Facts {
  if (!facts.api.ok) throw new Error('the API does not answer in these facts');
  return { ...facts, api: seen(change(facts.api.value)) };
}

export function withApiNode(facts: Facts, name: string, change: (node: ApiNodeFacts) => ApiNodeFacts): Facts {
  return withApi(facts, (api) => ({
    ...api,
    nodes: api.nodes.map((node) => (node.name === name ? change(node) : node)),
  }));
}

export function withoutApi(
  facts: Facts,
  reason = 'https://127.0.0.1:41783 closed the connection before TLS was agreed on: the port is served, but what is behind it is not up (ECONNRESET).',
): Facts {
  return { ...facts, api: unseen(reason) };
}

export function withKubeconfig(facts: Facts, change: Partial<HostKubeconfigFacts>): Facts {
  if (!facts.kubeconfig.ok) throw new Error('there is no kubeconfig in these facts');
  return { ...facts, kubeconfig: seen({ ...facts.kubeconfig.value, ...change }) };
}

/** The node's container as the engine shows it after it has ended: without addresses, its files read by archive. */
export function stopContainer(facts: Facts, name: string, exitCode = 137): Facts {
  const stopped = withContainer(facts, name, (container) => ({
    ...container,
    state: 'exited',
    running: false,
    exitCode,
    finishedAt: '2026-11-30T18:43:11.824507248Z',
    ipv4: '',
    ipv6: '',
  }));
  if (facts.nodes[name] === undefined) return stopped;
  const reason = unseen(`container "${name}" does not run`);
  return withNode(stopped, name, (node) => ({
    ...node,
    readBy: 'archive',
    interfaces: reason,
    resolved: Object.fromEntries(Object.keys(node.resolved).map((host) => [host, reason])),
    apiserverKeySha256: node.role === 'control-plane' ? reason : node.apiserverKeySha256,
    kubelet: reason,
    containerd: reason,
    kubeletDialErrors: reason,
    components: node.role === 'control-plane' ? reason : node.components,
    clockAheadMs: reason,
  }));
}

/** Docker gives other addresses after a restart; interfaces and names follow, the nodes' files and the API do not. */
export function moveNodes(facts: Facts, moves: Readonly<Record<string, number>>): Facts {
  let changed = facts;
  for (const [name, host] of Object.entries(moves))
    changed = withContainer(changed, name, (container) => ({ ...container, ...addressOf(host) }));
  const list = changed.containers.ok ? changed.containers.value : [];
  changed = withEveryNode(changed, (node) => {
    const own = list.find(({ name }) => name === node.name);
    const resolve = (host: string) => list.find(({ name }) => name === host);
    return {
      ...node,
      interfaces: seen([{ name: 'eth0', addresses: own === undefined ? [] : [own.ipv4, own.ipv6] }]),
      resolved: Object.fromEntries(
        Object.keys(node.resolved).map((host) => {
          const target = resolve(host);
          return [host, seen(target === undefined ? [] : [target.ipv6, target.ipv4])];
        }),
      ),
    };
  });
  return {
    ...changed,
    network: changed.network.ok
      ? seen({
          ...changed.network.value,
          members: list
            .filter(({ running }) => running)
            .map(({ name, ipv4, ipv6 }) => ({ container: name, ipv4, ipv6 })),
        })
      : changed.network,
  };
}

/**
 * What the entrypoint of kind v0.29 does at boot to each node: its own files, recorded addresses and, on control
 * planes, controller-manager.conf, scheduler.conf and the certificate get the present address; kubelet.conf does not.
 */
export function rewriteFiles(facts: Facts, node: string): Facts {
  const { ipv4, ipv6, running } = containerOf(facts, node);
  if (!running) return facts;
  const present = (address: string) => (familyOf(address) === 6 ? ipv6 : ipv4);
  return withNode(facts, node, (inside) => {
    const { controllerManager, scheduler } = inside.kubeconfigs;
    const conf = (before: typeof scheduler): typeof scheduler =>
      before.ok && before.value.hostIsAddress
        ? seen(kubeconfigOf(serverUrl(present(before.value.host), 6443)))
        : before;
    const certificate = inside.certificates.apiserver;
    const old = inside.addressSlots.map(({ address }) => address);
    return {
      ...inside,
      recordedIpv4: seen(ipv4),
      recordedIpv6: seen(ipv6),
      addressSlots: inside.addressSlots.map((slot) => ({
        ...slot,
        address: present(slot.address),
        text: withAddress(slot, present(slot.address)),
      })),
      kubeconfigs: { ...inside.kubeconfigs, controllerManager: conf(controllerManager), scheduler: conf(scheduler) },
      certificates: {
        ...inside.certificates,
        apiserver: certificate.ok
          ? seen({
              ...certificate.value,
              ipAddresses: certificate.value.ipAddresses.map((address) =>
                old.some((one) => isSameAddress(one, address)) ? present(address) : address,
              ),
            })
          : certificate,
      },
    };
  });
}

/** kubelet.conf, controller-manager.conf or scheduler.conf with another server. */
export function withServer(
  facts: Facts,
  node: string,
  key: 'kubelet' | 'controllerManager' | 'scheduler',
  server: string,
): Facts {
  return withNode(facts, node, (inside) => ({
    ...inside,
    kubeconfigs: { ...inside.kubeconfigs, [key]: seen(kubeconfigOf(server)) },
  }));
}

/** An address in each place of one file of a node. */
export function withFileAddress(facts: Facts, node: string, file: string, address: string): Facts {
  return withNode(facts, node, (inside) => ({
    ...inside,
    addressSlots: inside.addressSlots.map((slot) =>
      slot.file === file ? { ...slot, address, text: withAddress(slot, address) } : slot,
    ),
  }));
}

/** A node whose kubelet was last heard of so many seconds ago. */
export function silence(facts: Facts, node: string, seconds: number): Facts {
  return withApiNode(facts, node, (object) => ({
    ...object,
    leaseRenewedAt: secondsBefore(seconds),
    ...(seconds > 40
      ? { ready: 'Unknown', readyReason: 'NodeStatusUnknown', readySince: secondsBefore(seconds - 40) }
      : {}),
  }));
}

/**
 * The runbook's crash: control plane and worker2 have exchanged their addresses, the entrypoint has rewritten all but
 * the control plane's kubelet.conf, which names the address that worker2 has now.
 */
export function crashByRunbook(): Facts {
  let facts = moveNodes(makeFacts(withWorkers), { [controlPlane]: 4, 'idp-mvp-worker2': 2 });
  for (const name of Object.keys(facts.nodes)) facts = rewriteFiles(facts, name);
  facts = withNode(facts, controlPlane, (node) => ({
    ...node,
    kubeletDialErrors: seen(['dial tcp 172.18.0.2:6443: connect: connection refused']),
  }));
  facts = withApiNode(facts, 'idp-mvp-worker2', (node) => ({ ...node, internalAddresses: ['172.18.0.2'] }));
  return silence(facts, controlPlane, 600);
}

export function containerOf(facts: Facts, name: string): ContainerFacts {
  const found = facts.containers.ok ? facts.containers.value.find((container) => container.name === name) : undefined;
  if (found === undefined) throw new Error(`there is no container ${name} in these facts`);
  return found;
}

export function nodeOf(facts: Facts, name: string): NodeFacts {
  const found = facts.nodes[name];
  if (found?.ok !== true) throw new Error(`node ${name} cannot be looked into in these facts`);
  return found.value;
}

/** Another state and age of a static pod's container on the first control plane. */
export function withComponent(facts: Facts, name: string, state: string, createdAt: string): Facts {
  return withNode(facts, controlPlane, (node) => ({
    ...node,
    components: node.components.ok
      ? seen(node.components.value.map((one) => (one.name === name ? { ...one, state, createdAt } : one)))
      : node.components,
  }));
}
