import { parse, stringify } from 'yaml';
import { type ApiFront, startApiFront } from './api/front.ts';
import { handleApiRequest } from './api/handler.ts';
import { createObjectStore } from './api/store.ts';
import { type ClusterModel, createClusterModel } from './cluster/model.ts';
import type { Activity, ApiServerState, KubeObject, NodeMachine, ObjectStore, SimContext } from './contracts.ts';
import type { Docker } from './engine/docker.ts';
import { createClusterFiles } from './node/create.ts';
import { createNodeGuest, type NodeGuest } from './node/guest.ts';
import { nameContainers, type NodeImage } from './node/image.ts';
import { makeLogReader } from './pod-logs.ts';

export interface ClusterCounts {
  readonly controlPlanes: number;
  readonly workers: number;
}

/** A kind cluster of the simulated world. */
export interface SimCluster {
  readonly name: string;
  readonly image: NodeImage;
  readonly store: ObjectStore;
  readonly model: ClusterModel;
  readonly guests: ReadonlyMap<string, NodeGuest>;
  /** Published on 127.0.0.1. */
  readonly port: number;
  /** Who answers there at the moment. */
  answering(): ApiServerState | undefined;
  /** As `kind get kubeconfig` prints it. */
  kubeconfig(): string;
  /** Whether every node is Ready by what the API holds. */
  isReady(): boolean;
  close(): Promise<void>;
}

export interface ClusterRequest {
  readonly name: string;
  readonly counts: ClusterCounts;
  readonly image: NodeImage;
  readonly context: SimContext;
  readonly docker: Docker;
  readonly sysctl: Map<string, string>;
  readonly activity: Activity;
}

/** Makes the containers and starts them, as `kind create cluster` does; what follows takes its time on the clock. */
export async function createCluster(request: ClusterRequest): Promise<SimCluster> {
  const { name, image, context, docker, activity } = request;
  const { clock, random } = context;
  const places = nameContainers(name, request.counts);
  const store = createObjectStore({ now: () => clock.now(), random });
  const guests = new Map<string, NodeGuest>();
  const machines: NodeMachine[] = [];
  const model = createClusterModel({
    context,
    name,
    machines: () => machines,
    store,
    sysctl: request.sysctl,
    handleRequest: async (server, asked) => {
      const answer = await handleApiRequest(server, asked, { clock, readLog });
      if (answer.kind === 'watch') throw new Error('watching inside a simulated node is not known');
      return answer;
    },
  });
  const entryPoint = places[0]?.name ?? '';
  const answering = () => (docker.find(entryPoint).status === 'running' ? model.apiServerBehindPort() : undefined);
  const readLog = makeLogReader({
    machines: () => machines,
    processesOf: (machine) => model.processesOf(machine),
    nodeNamed: (node) => store.get('nodes', undefined, node),
  });
  const front: ApiFront = await startApiFront({
    clock,
    host: '127.0.0.1',
    port: 0,
    state: answering,
    activity,
    readLog,
  });
  const stopListening = [
    model.onServerStopped(() => front.dropConnections()),
    docker.addHooks({
      onStart: (container) => {
        // Docker's proxy listens while the container runs, whether or not anything in it does.
        if (container.name === entryPoint) void front.listen();
        model.networkChanged();
      },
      onStop: (container) => {
        if (container.name === entryPoint) front.stopListening();
        model.networkChanged();
      },
    }),
  ];

  for (const { name: container, role } of places) {
    const guest = createNodeGuest({
      context,
      name: container,
      cluster: name,
      role,
      image,
      processesOf: (machine) => {
        machines.push(machine);
        return model.processesOf(machine);
      },
    });
    guests.set(container, guest);
    docker.create({
      name: container,
      hostname: container,
      image: role === 'external-load-balancer' ? 'kindest/haproxy' : `kindest/node:${image.kubernetes}`,
      labels: { 'io.x-k8s.kind.cluster': name, 'io.x-k8s.kind.role': role },
      networks: ['kind'],
      restartPolicy: { name: 'on-failure', maximumRetryCount: 1 },
      ports: container === entryPoint ? [{ containerPort: 6443, hostIp: '127.0.0.1', hostPort: front.port }] : [],
      guest,
    });
    docker.start(container);
  }
  createClusterFiles({
    cluster: name,
    topology: places.map((place) => {
      const [dealt] = docker.interfaces(place.name);
      return { ...place, ipv4: dealt?.ipv4 ?? '', ipv6: dealt?.ipv6 ?? '', gateway: dealt?.gateway ?? '' };
    }),
    image,
    now: () => clock.now(),
    random,
    filesOf: (container) => {
      const guest = guests.get(container);
      if (guest === undefined) throw new Error(`there is no container ${container}`);
      return guest.files;
    },
  });

  return {
    name,
    image,
    store,
    model,
    guests,
    port: front.port,
    answering,
    kubeconfig: () => exportKubeconfig(name, front.port, guests),
    isReady() {
      const expected = places.filter(({ role }) => role !== 'external-load-balancer');
      return expected.every(({ name: node }) => isNodeReady(store.get('nodes', undefined, node)));
    },
    async close() {
      for (const stop of stopListening) stop();
      await front.close();
    },
  };
}

interface NodeStatus {
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
}

function isNodeReady(node: KubeObject | undefined): boolean {
  const { conditions = [] } = (node?.status ?? {}) as NodeStatus;
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
}

interface AdminConf {
  readonly clusters: readonly [{ readonly cluster: Record<string, string> }];
  readonly users: readonly [{ readonly user: Record<string, string> }];
}

function exportKubeconfig(cluster: string, port: number, guests: ReadonlyMap<string, NodeGuest>): string {
  const texts = [...guests.values()].map(({ files }) => files.readText('/etc/kubernetes/admin.conf'));
  const admin = parse(texts.find((text) => text !== undefined) ?? '') as AdminConf;
  const name = `kind-${cluster}`;
  return stringify({
    apiVersion: 'v1',
    clusters: [{ cluster: { ...admin.clusters[0].cluster, server: `https://127.0.0.1:${port}` }, name }],
    contexts: [{ context: { cluster: name, user: name }, name }],
    'current-context': name,
    kind: 'Config',
    users: [{ name, user: admin.users[0].user }],
  });
}
