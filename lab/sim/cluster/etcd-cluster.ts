import type { NodeMachine } from '../contracts.ts';
import type { ClusterWorld } from './world.ts';
import { hasAddress } from './world.ts';

/** As etcd's database holds it. */
export interface EtcdMember {
  /** 16 hexadecimal digits. */
  readonly id: string;
  readonly name: string;
  readonly peerUrls: readonly string[];
}

/** A running etcd. */
export interface EtcdProcess {
  readonly machine: NodeMachine;
  readonly memberId: string;
  readonly clusterId: string;
  /** As its database on the disk says at the moment. */
  readonly members: () => readonly EtcdMember[];
  readonly setMembers: (members: readonly EtcdMember[]) => void;
  readonly peerListenAddresses: readonly string[];
  readonly peerCertificatePem: string;
  readonly peerAuthorityPem: string;
  readonly processId: number;
  /** Told when it has gained or lost its quorum. */
  readonly onQuorum: (has: boolean) => void;
}

export interface EtcdState {
  readonly members: readonly (EtcdMember & { readonly container: string | undefined; readonly healthy: boolean })[];
  readonly hasQuorum: boolean;
}

/** The members of one cluster's etcd, and which of them have a quorum. */
export interface EtcdCluster {
  add(process: EtcdProcess): void;
  remove(process: EtcdProcess): void;
  processAt(container: string): EtcdProcess | undefined;
  isHealthy(container: string): boolean;
  /** Looks again who reaches whom; a quorum that is possible is there after an election. */
  refresh(): void;
  /** As `etcdctl member update`; answers false without a quorum or such a member. */
  updateMember(id: string, peerUrls: readonly string[]): boolean;
  state(): EtcdState;
}

export function createEtcdCluster(world: () => ClusterWorld): EtcdCluster {
  const processes = new Map<string, EtcdProcess>();
  const healthy = new Set<string>();
  let electionAt: number | undefined;

  /** Containers that have a quorum as the network and the certificates are now. */
  function findQuorum(): Set<string> {
    for (const leader of processes.values()) {
      const size = leader.members().length;
      const followers = [...processes.values()].filter(
        (other) => other === leader || (reaches(world(), leader, other) && reaches(world(), other, leader)),
      );
      if (followers.length >= Math.floor(size / 2) + 1) {
        return new Set(followers.map(({ machine }) => machine.name));
      }
    }
    return new Set();
  }

  function settle(quorum: ReadonlySet<string>): void {
    for (const process of processes.values()) {
      const { name } = process.machine;
      if (quorum.has(name) === healthy.has(name)) continue;
      if (quorum.has(name)) healthy.add(name);
      else healthy.delete(name);
      process.onQuorum(quorum.has(name));
    }
  }

  const cluster: EtcdCluster = {
    add(process) {
      processes.set(process.machine.name, process);
      cluster.refresh();
    },
    remove(process) {
      const { name } = process.machine;
      if (processes.get(name) !== process) return;
      processes.delete(name);
      healthy.delete(name);
      cluster.refresh();
    },
    processAt: (container) => processes.get(container),
    isHealthy: (container) => healthy.has(container),
    refresh() {
      const { clock, random } = world().context;
      const quorum = findQuorum();
      const kept = new Set([...healthy].filter((name) => quorum.has(name)));
      settle(kept);
      if (kept.size === quorum.size || electionAt !== undefined) return;
      // A single member elects itself within a second; several wait for the votes of the others.
      const [single] = processes.values();
      const delay = single?.members().length === 1 ? 500 + random() * 500 : 1_100 + random() * 1_700;
      electionAt = clock.now() + delay;
      clock.schedule(delay, () => {
        electionAt = undefined;
        settle(findQuorum());
      });
    },
    updateMember(id, peerUrls) {
      const quorum = [...processes.values()].filter(({ machine }) => healthy.has(machine.name));
      const [first] = quorum;
      if (first?.members().some((member) => member.id === id) !== true) return false;
      const members = first.members().map((member) => (member.id === id ? { ...member, peerUrls } : member));
      for (const process of quorum) process.setMembers(members);
      cluster.refresh();
      return true;
    },
    state() {
      const all = [...processes.values()];
      const known = all.find(({ machine }) => healthy.has(machine.name)) ?? all[0];
      const members = (known?.members() ?? []).map((member) => {
        const container = all.find(({ memberId }) => memberId === member.id)?.machine.name;
        return { ...member, container, healthy: container !== undefined && healthy.has(container) };
      });
      return { members, hasQuorum: healthy.size > 0 };
    },
  };
  return cluster;
}

/** Whether messages of `from` arrive at `to`, over one of the peer URLs that `from` has stored for it. */
function reaches(world: ClusterWorld, from: EtcdProcess, to: EtcdProcess): boolean {
  if (from.clusterId !== to.clusterId) return false;
  const urls = from.members().find(({ id }) => id === to.memberId)?.peerUrls ?? [];
  return urls.some((url) => refusePeer(world, from, to, url) === undefined);
}

/** Why one peer URL does not lead to the member; undefined where it does. In etcd's words. */
export function refusePeer(world: ClusterWorld, from: EtcdProcess, to: EtcdProcess, url: string): string | undefined {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const { network, clock } = world.context;
  const dialled = network.resolve(host);
  const address = dialled === undefined ? host : host === dialled.ipv6 ? dialled.ipv6 : dialled.ipv4;
  const led = world.redirect(from.machine.name, address, Number(port))?.address ?? address;
  const target = network.resolve(led);
  if (target === undefined) return `dial tcp ${led}:${port}: connect: no route to host`;
  const listens =
    target.container === to.machine.name && to.peerListenAddresses.some((own) => hasAddress(to.machine, own));
  const answers = target.container === to.machine.name ? listens : world.etcd.processAt(target.container) !== undefined;
  if (!answers) return `dial tcp ${led}:${port}: connect: connection refused`;
  if (target.container !== to.machine.name) {
    return 'remote error: tls: bad certificate';
  }
  const mistrust = world.trust.refuseServer(to.peerCertificatePem, from.peerAuthorityPem, host, clock.now());
  return mistrust ?? (acceptsCaller(world, to, from) ? undefined : 'remote error: tls: bad certificate');
}

/**
 * etcd takes a caller whose certificate names the address it comes from, or a name that resolves to it
 * (client/pkg/transport/listener_tls.go).
 */
function acceptsCaller(world: ClusterWorld, to: EtcdProcess, from: EtcdProcess): boolean {
  const { trust, context } = world;
  const certificate = trust.describe(from.peerCertificatePem);
  if (certificate === undefined || !trust.isIssuedBy(from.peerCertificatePem, to.peerAuthorityPem)) return false;
  if (Date.parse(certificate.notAfter) < context.clock.now()) return false;
  const addresses = from.machine.interfaces().flatMap(({ ipv4, ipv6 }) => [ipv4, ipv6]);
  if (certificate.ipAddresses.some((address) => addresses.includes(address))) return true;
  return certificate.dnsNames.some((name) => {
    const found = name === 'localhost' ? undefined : context.network.resolve(name);
    return found !== undefined && found.container === from.machine.name;
  });
}
