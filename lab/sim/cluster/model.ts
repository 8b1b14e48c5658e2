import type { ApiServerState, NodeMachine, NodeProcesses, ObjectStore, SimContext } from '../contracts.ts';
import { createEtcdCluster, type EtcdState } from './etcd-cluster.ts';
import { chooseBackend } from './load-balancer.ts';
import { type ApiHandler, createNodeProcesses } from './node-processes.ts';
import { createPodIndex } from './pod-index.ts';
import { createTrust } from './trust.ts';
import { readUrlStatus, type UrlStatus } from './urls.ts';
import { addBaseWorkloads, addServerObjects } from './workloads/base.ts';
import { addWorkload, type WorkloadOptions } from './workloads/builders.ts';
import { addIdpWorkloads } from './workloads/idp.ts';
import type { Chances, ClusterWorld, Redirect } from './world.ts';

const storedResources = [
  'nodes',
  'namespaces',
  'pods',
  'services',
  'endpoints',
  'configmaps',
  'secrets',
  'persistentvolumes',
  'persistentvolumeclaims',
  'serviceaccounts',
  'events',
  'deployments.apps',
  'replicasets.apps',
  'daemonsets.apps',
  'statefulsets.apps',
  'jobs.batch',
  'leases.coordination.k8s.io',
  'endpointslices.discovery.k8s.io',
  'ingresses.networking.k8s.io',
  'ingressclasses.networking.k8s.io',
  'storageclasses.storage.k8s.io',
  'validatingwebhookconfigurations.admissionregistration.k8s.io',
  'mutatingwebhookconfigurations.admissionregistration.k8s.io',
];

export interface ClusterModelOptions {
  readonly context: SimContext;
  readonly name: string;
  readonly machines: () => readonly NodeMachine[];
  readonly store: ObjectStore;
  /** Kernel settings of the host, shared by all clusters. */
  readonly sysctl: Map<string, string>;
  /** Answers `kubectl` and `curl` inside nodes. */
  readonly handleRequest?: ApiHandler;
  /** What iptables rules in a node make of a dialled address; nothing by default. */
  readonly redirect?: Redirect;
  readonly chances?: Partial<Chances>;
}

export interface ClusterModel {
  /** The same answer for one machine, always. */
  processesOf(machine: NodeMachine): NodeProcesses;
  /** The server that listens in that container. */
  apiServerAt(container: string): ApiServerState | undefined;
  /** The server that answers on the port that the cluster publishes. */
  apiServerBehindPort(): ApiServerState | undefined;
  /** Told of each API server that has ended, by container. Answers a function that ends it. */
  onServerStopped(listener: (container: string) => void): () => void;
  etcdState(): EtcdState;
  /** As `etcdctl member update`. */
  updateEtcdMember(id: string, peerUrls: readonly string[]): boolean;
  /** To be called when addresses, names or redirections have changed while the nodes run. */
  networkChanged(): void;
  /** What a crash of the host leaves behind: inotify instances that nobody gives back. */
  leakInotifyInstances(count: number): void;
  addIdpWorkloads(): void;
  addWorkload(kind: 'Deployment' | 'DaemonSet' | 'StatefulSet', options: WorkloadOptions): void;
  urlStatus(host: string): UrlStatus;
}

/** What runs in the nodes of one cluster, and what follows from it. */
export function createClusterModel(options: ClusterModelOptions): ClusterModel {
  const processes = new Map<string, NodeProcesses>();
  const world: ClusterWorld = {
    context: options.context,
    name: options.name,
    store: options.store,
    sysctl: options.sysctl,
    machines: options.machines,
    trust: createTrust(),
    apiServers: new Map(),
    startingServers: 0,
    etcd: createEtcdCluster(() => world),
    pods: createPodIndex(options.store),
    runtimes: new Map(),
    behaviours: new Map(),
    chances: { staticPodRace: 0.1, ...options.chances },
    redirect: options.redirect ?? (() => undefined),
    serverListeners: new Set(),
    joined: new Set(options.store.list('nodes').map(({ metadata }) => metadata.name)),
    etcdInstalled: false,
    leakedInotifyInstances: 0,
    forgetObjects() {
      for (const resource of storedResources) {
        for (const { metadata } of world.store.list(resource))
          world.store.remove(resource, metadata.namespace, metadata.name);
      }
      addServerObjects(world);
    },
  };
  addBaseWorkloads(world);

  return {
    processesOf(machine) {
      const known = processes.get(machine.name);
      if (known !== undefined) return known;
      const created = createNodeProcesses(world, machine, options.handleRequest);
      processes.set(machine.name, created);
      return created;
    },
    apiServerAt: (container) => world.apiServers.get(container),
    apiServerBehindPort() {
      const balancer = world.machines().find(({ role }) => role === 'external-load-balancer');
      if (balancer !== undefined) {
        const backend = chooseBackend(world, balancer);
        return backend.ok ? backend.server : undefined;
      }
      const first = world.machines().find(({ role }) => role === 'control-plane');
      return first === undefined ? undefined : world.apiServers.get(first.name);
    },
    onServerStopped(listener) {
      world.serverListeners.add(listener);
      return () => world.serverListeners.delete(listener);
    },
    etcdState: () => world.etcd.state(),
    updateEtcdMember: (id, peerUrls) => world.etcd.updateMember(id, peerUrls),
    networkChanged: () => world.etcd.refresh(),
    leakInotifyInstances(count) {
      world.leakedInotifyInstances += count;
    },
    addIdpWorkloads: () => addIdpWorkloads(world),
    addWorkload: (kind, workload) => addWorkload(world, kind, workload),
    urlStatus: (host) => readUrlStatus(world, host),
  };
}
