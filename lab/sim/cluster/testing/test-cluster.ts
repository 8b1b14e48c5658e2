import { createVirtualClock, type VirtualClock } from '../../clock.ts';
import type { Interface, KubeObject, Network, NodeMachine, NodeProcesses, ObjectStore } from '../../contracts.ts';
import { createObjectStore } from '../../api/store.ts';
import { createClusterFiles } from '../../node/create.ts';
import { bootUntil } from '../../node/entrypoint.ts';
import { currentImage, type NodeImage, nameContainers } from '../../node/image.ts';
import { type ClusterModel, type ClusterModelOptions, createClusterModel } from '../model.ts';
import { conditionsOf } from '../objects.ts';

/** A cluster on a table of addresses: no Docker, no shell, only files, time and what follows. */
export interface TestCluster {
  readonly clock: VirtualClock;
  readonly store: ObjectStore;
  readonly model: ClusterModel;
  readonly sysctl: Map<string, string>;
  machine(name: string): NodeMachine;
  processes(name: string): NodeProcesses;
  /** Starts the containers at these addresses; the others get the lowest free ones in the order of the names. */
  start(addresses?: Readonly<Record<string, string>>): void;
  /** Ends every container at once, as a crash does. */
  crash(): void;
  stop(name: string): void;
  addressOf(name: string): string;
  readdress(name: string, address: string, device?: string): void;
  seconds(count: number): Promise<void>;
  /** Passes time until it holds; fails after so many seconds. Answers how many passed. */
  until(holds: () => boolean, limit: number, what?: string): Promise<number>;
  readyOf(node: string): string;
  /** As `crictl stop` of the first control plane's component. */
  stopComponent(component: string): Promise<void>;
  pods(prefix: string): readonly KubeObject[];
  container(node: string, name: string): ReturnType<NonNullable<ReturnType<NodeProcesses['containers']>>['at']>;
}

export function createTestCluster(options: {
  readonly controlPlanes?: number;
  readonly workers?: number;
  readonly image?: NodeImage;
  readonly seed?: number;
  readonly model?: Partial<Pick<ClusterModelOptions, 'chances' | 'redirect' | 'handleRequest'>>;
}): TestCluster {
  const clock = createVirtualClock(new Date('2026-11-30T21:00:00Z'));
  const random = createRandom(options.seed ?? 1);
  const cluster = 'idp';
  const places = nameContainers(cluster, { controlPlanes: options.controlPlanes ?? 1, workers: options.workers ?? 0 });
  const addresses = new Map<string, Interface>();
  const dealt = places.map((place, index) => ({
    ...place,
    ipv4: `172.18.0.${index + 2}`,
    ipv6: '',
    gateway: '172.18.0.1',
  }));
  const files = createClusterFiles({
    cluster,
    topology: dealt,
    image: options.image ?? currentImage,
    now: clock.now,
    random,
  });
  const running = new Set<string>();

  const machines: readonly NodeMachine[] = dealt.map(({ name, role }) => ({
    name,
    cluster,
    role,
    files: files.get(name) ?? fail(`no files of ${name}`),
    interfaces: () => (running.has(name) ? [addresses.get(name) ?? fail(`no address of ${name}`)] : []),
    running: () => running.has(name),
  }));
  const network: Network = {
    resolve(host) {
      for (const container of running) {
        const found = addresses.get(container);
        if (found !== undefined && (container === host || found.ipv4 === host))
          return { container, ipv4: found.ipv4, ipv6: '' };
      }
      return undefined;
    },
  };
  const store = createObjectStore({ now: clock.now, random });
  const sysctl = new Map([['fs.inotify.max_user_instances', '128']]);
  const model = createClusterModel({
    context: { clock, random, network },
    name: cluster,
    machines: () => machines,
    store,
    sysctl,
    ...options.model,
    chances: { staticPodRace: 0, ...options.model?.chances },
  });
  const test: TestCluster = {
    clock,
    store,
    model,
    sysctl,
    machine: (name) => machines.find((machine) => machine.name === name) ?? fail(`there is no ${name}`),
    processes: (name) => model.processesOf(test.machine(name)),
    start(wanted = {}) {
      const taken = new Set(Object.values(wanted));
      let next = 2;
      for (const { name } of machines) {
        while (wanted[name] === undefined && taken.has(`172.18.0.${next}`)) next += 1;
        const ipv4 = wanted[name] ?? `172.18.0.${next}`;
        taken.add(ipv4);
        addresses.set(name, { network: 'kind', device: 'eth0', ipv4, ipv6: '', gateway: '172.18.0.1' });
        running.add(name);
      }
      for (const machine of machines) {
        clock.schedule(900 + random() * 200, () => {
          if (!machine.running()) return;
          if (machine.role !== 'external-load-balancer') {
            const situation = {
              hostname: machine.name,
              ipv4: test.addressOf(machine.name),
              ipv6: '',
              gateway: '172.18.0.1',
            };
            bootUntil(machine.files, { ...situation, now: clock.now });
          }
          model.processesOf(machine).up();
        });
      }
    },
    crash() {
      for (const { name } of machines) test.stop(name);
    },
    stop(name) {
      running.delete(name);
      test.processes(name).down();
      test.machine(name).files.remove('/run');
    },
    addressOf: (name) => addresses.get(name)?.ipv4 ?? '',
    readdress(name, ipv4, device = 'eth0') {
      addresses.set(name, { network: 'kind', device, ipv4, ipv6: '', gateway: '172.18.0.1' });
      model.networkChanged();
    },
    seconds: (count) => clock.advance(count * 1000),
    async until(holds, limit, what = 'the condition') {
      const begun = clock.now();
      while (!holds()) {
        if (clock.now() - begun > limit * 1000) throw new Error(`${what} does not hold after ${limit} s`);
        await clock.advance(200);
      }
      return (clock.now() - begun) / 1000;
    },
    readyOf(node) {
      const object = store.get('nodes', undefined, node);
      return object === undefined
        ? 'missing'
        : (conditionsOf(object).find(({ type }) => type === 'Ready')?.status ?? '');
    },
    async stopComponent(component) {
      const name = `${cluster}-control-plane`;
      const stopped = test.processes(name).stopContainer(test.container(name, component)?.id ?? '');
      await clock.advance(3_100);
      await stopped;
    },
    pods: (prefix) => store.list('pods').filter(({ metadata }) => metadata.name.startsWith(prefix)),
    container: (node, name) =>
      test
        .processes(node)
        .containers()
        ?.filter((container) => container.name === name)
        .at(-1),
  };
  return test;
}

/** Marsaglia's xorshift: enough for a test, and the same each time. */
function createRandom(seed: number): () => number {
  let state = seed * 2_654_435_761 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 4_294_967_296;
  };
}

function fail(reason: string): never {
  throw new Error(reason);
}
