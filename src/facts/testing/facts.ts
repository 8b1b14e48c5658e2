import { findAddressSlots } from '../../manifests/slots.ts';
import { serverUrl } from '../../manifests/address.ts';
import type { ApiFacts, ApiNodeFacts } from '../api.ts';
import type { ContainerFacts, Role } from '../containers.ts';
import type { Facts } from '../facts.ts';
import type { HostKubeconfigFacts } from '../host.ts';
import type { KubeconfigFacts, NodeFacts } from '../node.ts';
import { seen, unseen } from '../observed.ts';
import { isVersion6, renderNodeFiles } from './node-files.ts';

/** Facts of a healthy cluster, as gathering finds them; src/facts/testing/changes.ts breaks them. */

export interface Topology {
  readonly controlPlanes: number;
  readonly workers: number;
  readonly balancer: boolean;
}
export const single: Topology = { controlPlanes: 1, workers: 0, balancer: false };
export const withWorkers: Topology = { controlPlanes: 1, workers: 2, balancer: false };
/** Three control planes behind kind's load balancer, and a worker. */
export const highlyAvailable: Topology = { controlPlanes: 3, workers: 1, balancer: true };

export type Families = 'ipv4' | 'ipv6' | 'dual';

export const cluster = 'idp-mvp';
export const controlPlane = 'idp-mvp-control-plane';
export const worker = 'idp-mvp-worker';
export const balancer = 'idp-mvp-external-load-balancer';

/** When the facts were gathered, by the host's clock. */
export const gatheredAt = '2026-11-30T18:45:00.000Z';
/** The containers have been up for ten minutes by then. */
export const startedAt = '2026-11-30T18:35:00.000000000Z';

export const caSha256 = 'e35edb40df9a5abc2b7a339b6198d7808c54da33fdb23c083f1f91fa033ce223';
const apiserverKey = 'e43e63ac0aa9dfdc80b992e278680f5ec4dc1c8e07248665c2a3e4997de8b402';

/** An address of kind's network in both families, by the number of its host. */
export function addressOf(host: number): { readonly ipv4: string; readonly ipv6: string } {
  return { ipv4: `172.18.0.${host}`, ipv6: `fc00:f853:ccd:e793::${host.toString(16)}` };
}

/** A time so many seconds before the facts were gathered. */
export function secondsBefore(seconds: number): string {
  return new Date(Date.parse(gatheredAt) - seconds * 1000).toISOString();
}

export function makeFacts(topology: Topology = withWorkers, families: Families = 'ipv4'): Facts {
  const containers = listContainers(topology);
  const nodes = containers.filter(({ role }) => role !== 'external-load-balancer');
  return {
    format: 'rekindle.facts/v1',
    gatheredAt,
    cluster,
    engine: {
      state: 'reachable',
      endpoint: 'unix:///var/run/docker.sock',
      reason: '',
      attempts: [
        { source: 'DOCKER_HOST', endpoint: '', reason: 'not set' },
        { source: 'default socket', endpoint: 'unix:///var/run/docker.sock' },
      ],
      id: '29ba414a-eb32-46f6-b853-8d0802257e87',
      version: '28.5.1',
      operatingSystem: 'Debian GNU/Linux 13 (trixie)',
      hostPlatform: 'linux',
    },
    containers: seen(containers),
    network: seen({
      name: 'kind',
      subnets: ['172.18.0.0/16', 'fc00:f853:ccd:e793::/64'],
      members: containers.map(({ name, ipv4, ipv6 }) => ({ container: name, ipv4, ipv6 })),
    }),
    nodes: Object.fromEntries(nodes.map((node) => [node.name, seen(makeNode(node, containers, families))])),
    api: seen(makeApi(nodes, families)),
    kubeconfig: seen(hostKubeconfig),
  };
}

/** The addresses that the cluster itself uses, of those that Docker gives. */
export function usedAddresses({ ipv4, ipv6 }: Pick<ContainerFacts, 'ipv4' | 'ipv6'>, families: Families): string[] {
  return families === 'ipv4' ? [ipv4] : families === 'ipv6' ? [ipv6] : [ipv4, ipv6];
}

/** What `renderNodeFiles` needs to know of a node among its fellows. */
export function fileValues(node: ContainerFacts, containers: readonly ContainerFacts[], families: Families) {
  const entryPoint = containers.find(({ role }) => role === 'external-load-balancer')?.name ?? controlPlane;
  return {
    cluster,
    name: node.name,
    role: node.role === 'control-plane' ? ('control-plane' as const) : ('worker' as const),
    addresses: usedAddresses(node, families),
    recorded: [node.ipv4, node.ipv6],
    members: containers
      .filter(({ role }) => role === 'control-plane')
      .map((member) => ({ name: member.name, address: usedAddresses(member, families)[0] ?? '' })),
    entryPoint,
  };
}

function listContainers({ controlPlanes, workers, balancer: hasBalancer }: Topology): ContainerFacts[] {
  const numbered = (name: string, count: number, role: Role) =>
    Array.from({ length: count }, (_, index) => ({ name: `${name}${index === 0 ? '' : index + 1}`, role }));
  const named = [
    ...numbered(controlPlane, controlPlanes, 'control-plane'),
    ...numbered(worker, workers, 'worker'),
    ...(hasBalancer ? [{ name: balancer, role: 'external-load-balancer' as const }] : []),
  ];
  return named
    .map(({ name, role }, index) => ({
      name,
      role,
      image: role === 'external-load-balancer' ? 'envoyproxy/envoy:v1.36.2' : 'kindest/node:v1.34.4',
      state: 'running',
      running: true,
      exitCode: 0,
      error: '',
      startedAt,
      finishedAt: '2026-11-30T18:34:58.824507248Z',
      restartPolicy: { name: 'on-failure', maximumRetryCount: 1 },
      ...addressOf(index + 2),
      apiPort:
        role === (hasBalancer ? 'external-load-balancer' : 'control-plane')
          ? { hostIp: '127.0.0.1', hostPort: 41783 }
          : null,
    }))
    .sort((left, right) => left.name.localeCompare(right.name));
}

function makeNode(container: ContainerFacts, containers: readonly ContainerFacts[], families: Families): NodeFacts {
  const { name } = container;
  const values = fileValues(container, containers, families);
  const isControlPlane = values.role === 'control-plane';
  const [primary = ''] = values.addresses;
  const own = kubeconfigOf(serverUrl(primary, 6443));
  const endpoint = isControlPlane ? container : containers.find((other) => other.name === values.entryPoint);
  const notHere = unseen('workers have none');
  return {
    name,
    role: values.role,
    readBy: 'exec',
    recordedIpv4: seen(container.ipv4),
    recordedIpv6: seen(container.ipv6),
    entrypointRewritesKubeletConf: seen(false),
    kubeconfigs: {
      kubelet: seen(isControlPlane ? own : kubeconfigOf(serverUrl(values.entryPoint, 6443))),
      controllerManager: isControlPlane ? seen(own) : notHere,
      scheduler: isControlPlane ? seen(own) : notHere,
      admin: isControlPlane ? seen(kubeconfigOf(serverUrl(values.entryPoint, 6443))) : notHere,
    },
    addressSlots: slotsOf(name, renderNodeFiles(values)),
    unreadFiles: {},
    interfaces: seen([{ name: 'eth0', addresses: [container.ipv4, container.ipv6] }]),
    resolved: endpoint === undefined ? {} : { [endpoint.name]: seen([endpoint.ipv6, endpoint.ipv4]) },
    certificates: {
      ca: seen({
        subject: 'kubernetes',
        issuer: 'kubernetes',
        notBefore: '2026-11-30T18:25:44.000Z',
        notAfter: '2036-11-27T18:30:44.000Z',
        dnsNames: ['kubernetes'],
        ipAddresses: [],
        sha256: caSha256,
        publicKeySha256: '79f8b9195aba4552558b2c98ab8cab3533687f3ef55a6fb05bda7441611a1de3',
      }),
      apiserver: isControlPlane ? seen(apiserverCertificate(name, values.entryPoint, values.addresses)) : notHere,
    },
    apiserverKeySha256: isControlPlane ? seen(apiserverKey) : notHere,
    kubelet: seen({ activeState: 'active', subState: 'running', restarts: 0, activeSince: sinceBoot }),
    containerd: seen({ activeState: 'active', subState: 'running', restarts: 0, activeSince: sinceBoot }),
    kubeletDialErrors: seen([]),
    components: isControlPlane
      ? seen(
          ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'].map((component) => ({
            name: component,
            state: 'running',
            attempt: 1,
            createdAt: '2026-11-30T18:35:06.481Z',
          })),
        )
      : notHere,
    leftovers: seen([]),
    clockAheadMs: seen(0),
  };
}

const sinceBoot = 'Mon 2026-11-30 18:35:03 UTC';

/** The places of a node's files, as gathering finds them. */
export function slotsOf(name: string, files: ReadonlyMap<string, string>) {
  return [...files].flatMap(([path, text]) => findAddressSlots(path, name, text));
}

export function kubeconfigOf(server: string): KubeconfigFacts {
  const host = new URL(server).hostname.replace(/^\[(.*)\]$/, '$1');
  const hostIsAddress = isVersion6(host) || /^[\d.]+$/.test(host);
  return { server, host, hostIsAddress, serverText: `server: ${server}`, caSha256 };
}

/** With kubeadm's names, and kind's two for the host. */
export function apiserverCertificate(name: string, entryPoint: string, addresses: readonly string[]) {
  return {
    subject: 'kube-apiserver',
    issuer: 'kubernetes',
    notBefore: '2026-11-30T18:25:44.000Z',
    notAfter: '2027-11-30T18:30:44.000Z',
    dnsNames: [
      ...new Set([name, 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc', 'localhost', entryPoint]),
    ],
    // kubeadm names the advertised address alone.
    ipAddresses: ['10.96.0.1', ...addresses.slice(0, 1), '127.0.0.1'],
    sha256: 'bd9d78264bacb360121bd7859bdd3eec66e30cf9e1ab8364f73966b715f8c724',
    publicKeySha256: apiserverKey,
  };
}

function makeApi(nodes: readonly ContainerFacts[], families: Families): ApiFacts {
  const lease = (holder: string) => seen({ holder, renewedAt: '2026-11-30T18:44:59.015274Z' });
  return {
    via: 'published-port',
    portFailure: '',
    unready: '',
    endpoint: 'https://127.0.0.1:41783',
    nodes: nodes.map(
      (node): ApiNodeFacts => ({
        name: node.name,
        ready: 'True',
        readyReason: 'KubeletReady',
        readySince: '2026-11-30T18:35:12Z',
        internalAddresses: usedAddresses(node, families),
        leaseRenewedAt: '2026-11-30T18:44:54.343632Z',
      }),
    ),
    controllerManagerLease: lease(`${controlPlane}_3593a5a0-218b-4fa7-b1eb-2470d7416185`),
    schedulerLease: lease(`${controlPlane}_41b2fb55-f34d-497f-9c3d-2537dd4a65c9`),
  };
}

const hostKubeconfig: HostKubeconfigFacts = {
  path: '/home/ada/.kube/config',
  state: 'readable',
  reason: '',
  context: 'kind-idp-mvp',
  contextPresent: true,
  userPresent: true,
  server: 'https://127.0.0.1:41783',
  caSha256,
  expectedServer: 'https://127.0.0.1:41783',
  currentContext: 'kind-idp-mvp',
};
