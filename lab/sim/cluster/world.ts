import type { ApiServerState, NodeMachine, ObjectStore, SimContext } from '../contracts.ts';
import type { EtcdCluster } from './etcd-cluster.ts';
import type { Behaviour } from './pod-behaviour.ts';
import type { PodIndex } from './pod-index.ts';
import type { Runtime } from './runtime.ts';
import type { Trust } from './trust.ts';

/** An API server that listens on all interfaces of its node. */
export interface ApiServer extends ApiServerState {
  readonly machine: NodeMachine;
  readonly port: number;
  /** What it publishes as its own address. */
  readonly advertiseAddress: string;
}

/** What a change of destination in a node's own kernel makes of a dialled address (iptables in OUTPUT). */
export type Redirect = (
  container: string,
  address: string,
  port: number,
) => { address: string; port: number } | undefined;

export interface Chances {
  /** That a manifest changed around a kubelet's start leaves its pod down (kubernetes#109596). */
  readonly staticPodRace: number;
}

/** What the parts of one cluster share. */
export interface ClusterWorld {
  readonly context: SimContext;
  readonly name: string;
  readonly store: ObjectStore;
  /** Of the host: one for all nodes. */
  readonly sysctl: Map<string, string>;
  readonly machines: () => readonly NodeMachine[];
  readonly trust: Trust;
  /** Those that listen, by container. */
  readonly apiServers: Map<string, ApiServer>;
  /** API servers that are between their start and listening: they share the processors. */
  startingServers: number;
  readonly etcd: EtcdCluster;
  readonly pods: PodIndex;
  readonly runtimes: Map<string, Runtime>;
  /** How the programs in pods behave, by the image's name without registry and tag. */
  readonly behaviours: Map<string, Behaviour>;
  readonly chances: Chances;
  readonly redirect: Redirect;
  /** Told of each API server that has ended, by container. */
  readonly serverListeners: Set<(container: string) => void>;
  /** Nodes whose roles and taints kubeadm has set once. */
  readonly joined: Set<string>;
  /** Everything in etcd is lost: what an API server makes in an empty one is left. */
  readonly forgetObjects: () => void;
  /** Whether the members of etcd have been given their data once. */
  etcdInstalled: boolean;
  /** inotify instances of processes that a crash has left behind on the host. */
  leakedInotifyInstances: number;
}

export function findMachine(world: ClusterWorld, container: string): NodeMachine | undefined {
  return world.machines().find(({ name }) => name === container);
}

/** Whether the address is one of the node's own, loopback included. */
export function hasAddress(machine: NodeMachine, address: string): boolean {
  if (['127.0.0.1', 'localhost', '::1', '0.0.0.0', '::', ''].includes(address)) return true;
  return machine.interfaces().some(({ ipv4, ipv6 }) => ipv4 === address || ipv6 === address);
}
