import type { SimClock } from '../clock.ts';
import type { Interface, Network } from '../contracts.ts';
import type { Container, ContainerRecord, ContainerSpec, RestartPolicy } from './container.ts';
import { isRunning } from './container.ts';
import type { EventLog } from './events.ts';
import { createEventLog } from './events.ts';
import type { ExecStore } from './exec.ts';
import { createExecStore } from './exec.ts';
import type { LifecycleTools } from './lifecycle.ts';
import { endContainer, killContainer, startContainer, stopContainer, writeEvent } from './lifecycle.ts';
import type { NetworkRecord, NetworkSpec } from './networks.ts';
import { connect, createNetwork, describeInterfaces, disconnect, resolveHost } from './networks.ts';
import { createRandom, makeHex } from '../random.ts';
import { findContainer, makeRecord, sortForStart, wantsStart } from './records.ts';
import { DockerRefusal } from './refusal.ts';

export interface DockerOptions {
  /** The engine's id; from the seed by default. */
  readonly id?: string;
  /** `26.1.5` by default. */
  readonly version?: string;
  readonly operatingSystem?: string;
  /** The one network `kind`, as the kind command makes it, by default. */
  readonly networks?: readonly NetworkSpec[];
  /** Milliseconds from a start, a kill or a connect to the engine's answer; what it causes begins at once. 300 by default. */
  readonly answerMs?: number;
}

export interface DockerHooks {
  /** The container's first process has been started; its addresses are dealt. */
  readonly onStart?: (container: Container) => void;
  readonly onStop?: (container: Container) => void;
  readonly onEngine?: (state: 'up' | 'down') => void | Promise<void>;
}

/**
 * The model of a Docker engine. Every method takes a container's id, a prefix of it, or its name, and throws a
 * DockerRefusal where Docker would refuse. What waits (`stop`, `restart`) resolves on the clock: do not wait for it
 * inside of an action of that clock.
 */
export interface Docker extends Network {
  readonly id: string;
  readonly options: DockerOptions;
  readonly clock: SimClock;
  readonly events: EventLog;
  readonly execs: ExecStore;
  /** Oldest first. */
  containers(): readonly ContainerRecord[];
  networks(): readonly NetworkRecord[];
  find(reference: string): ContainerRecord;
  findNetwork(reference: string): NetworkRecord;
  addNetwork(spec: NetworkSpec): NetworkRecord;
  removeNetwork(reference: string): void;
  create(spec: ContainerSpec): Container;
  start(reference: string): void;
  stop(reference: string, graceSeconds?: number): Promise<void>;
  kill(reference: string, signal?: string): void;
  restart(reference: string, graceSeconds?: number): Promise<void>;
  remove(reference: string, options?: { readonly force?: boolean }): void;
  setRestartPolicy(reference: string, policy: RestartPolicy): void;
  connect(network: string, reference: string): void;
  disconnect(network: string, reference: string): void;
  interfaces(reference: string): readonly Interface[];
  /** The first process ends by itself, as after a kernel's kill: the restart policy decides what follows. */
  exit(reference: string, exitCode: number): void;
  isUp(): boolean;
  /** The engine and all containers are gone at once. 255 is what Docker books where nobody saw the end. */
  crashEngine(exitCode?: number): void;
  /**
   * The engine is back and starts what the restart policies ask for: first the containers of the given order, by name,
   * then the others in an order of chance, as Docker does it side by side. Resolves when its API answers.
   */
  startEngine(order?: readonly string[]): Promise<void>;
  addHooks(hooks: DockerHooks): () => void;
  makeId(): string;
}

export const KIND_NETWORK: NetworkSpec = {
  name: 'kind',
  subnet: '172.18.0.0/16',
  subnet6: 'fc00:f853:ccd:e793::/64',
};

/** docker stop's patience. */
const GRACE_SECONDS = 10;

export function createDocker(
  context: { readonly clock: SimClock; readonly random: () => number },
  options: DockerOptions = {},
): Docker {
  const { clock, random } = context;
  // A source of its own: how often a visitor asks for an exec must not change what happens to the world.
  const idSource = createRandom(Math.floor(random() * 2 ** 32));
  const makeId = () => makeHex(idSource, 64);
  const events = createEventLog(clock);
  const containers = new Map<string, ContainerRecord>();
  const networks = new Map<string, NetworkRecord>();
  const hooks = new Set<DockerHooks>();
  let up = true;

  const tools: LifecycleTools = {
    clock,
    random: idSource,
    makeId,
    events,
    onStart: (record) => hooks.forEach((each) => each.onStart?.(record)),
    onStop: (record) => hooks.forEach((each) => each.onStop?.(record)),
    onGone: forget,
  };

  function forget(record: ContainerRecord): void {
    containers.delete(record.id);
    writeEvent(record, tools, 'destroy');
  }

  const docker: Docker = {
    id: options.id ?? [8, 4, 4, 4, 12].map((length) => makeHex(idSource, length)).join('-'),
    options,
    clock,
    events,
    execs: createExecStore(makeId),
    makeId,
    containers: () => [...containers.values()],
    networks: () => [...networks.values()],
    find: (reference) => findContainer([...containers.values()], reference),
    findNetwork(reference) {
      const all = [...networks.values()];
      const found = all.find((each) => each.spec.name === reference || each.id === reference);
      const network = found ?? all.find((each) => reference !== '' && each.id.startsWith(reference));
      if (network === undefined) throw new DockerRefusal(404, `network ${reference} not found`);
      return network;
    },
    addNetwork(spec) {
      if (networks.has(spec.name)) throw new DockerRefusal(409, `network with name ${spec.name} already exists`);
      const network = createNetwork(spec, makeId(), clock.now());
      networks.set(spec.name, network);
      const attributes = { name: spec.name, type: 'bridge' };
      events.write({ type: 'network', action: 'create', actor: network.id, attributes });
      return network;
    },
    removeNetwork(reference) {
      const network = docker.findNetwork(reference);
      if (docker.containers().some((record) => isRunning(record) && record.endpoints.has(network.spec.name)))
        throw new DockerRefusal(403, `error while removing network: network ${network.spec.name} has active endpoints`);
      networks.delete(network.spec.name);
      const attributes = { name: network.spec.name, type: 'bridge' };
      events.write({ type: 'network', action: 'destroy', actor: network.id, attributes });
    },
    create(spec) {
      const taken = docker.containers().find((each) => each.name === spec.name);
      if (taken !== undefined) {
        const advice = 'You have to remove (or rename) that container to be able to reuse that name.';
        const message = `Conflict. The container name "/${spec.name}" is already in use by container "${taken.id}". ${advice}`;
        throw new DockerRefusal(409, message);
      }
      const record = makeRecord(spec, makeId(), clock.now());
      for (const name of spec.networks ?? [KIND_NETWORK.name]) connect(docker.findNetwork(name), record, tools);
      containers.set(record.id, record);
      writeEvent(record, tools, 'create');
      return record;
    },
    start: (reference) => startContainer(docker.find(reference), tools, 'asked'),
    async stop(reference, graceSeconds = GRACE_SECONDS) {
      const record = docker.find(reference);
      if (record.status !== 'running' && record.status !== 'restarting') throw new DockerRefusal(304, '');
      await stopContainer(record, graceSeconds * 1000, tools);
    },
    kill: (reference, signal = 'SIGKILL') => killContainer(docker.find(reference), signal, tools),
    async restart(reference, graceSeconds = GRACE_SECONDS) {
      const record = docker.find(reference);
      if (isRunning(record)) await stopContainer(record, graceSeconds * 1000, tools);
      // The engine may have died meanwhile.
      if (!up) return;
      if (!isRunning(record)) startContainer(record, tools, 'asked');
      writeEvent(record, tools, 'restart');
    },
    remove(reference, { force = false } = {}) {
      const record = docker.find(reference);
      if (isRunning(record) && !force) {
        const advice = 'stop the container before removing or force remove';
        throw new DockerRefusal(409, `cannot remove container "/${record.name}": container is running: ${advice}`);
      }
      record.cancelRestart?.();
      if (isRunning(record)) killContainer(record, 'SIGKILL', tools);
      if (containers.has(record.id)) forget(record);
    },
    setRestartPolicy(reference, policy) {
      const record = docker.find(reference);
      if (policy.maximumRetryCount > 0 && policy.name !== 'on-failure')
        throw new DockerRefusal(400, "invalid restart policy: maximum retry count can only be used with 'on-failure'");
      record.restartPolicy = policy;
      writeEvent(record, tools, 'update');
    },
    connect: (network, reference) => connect(docker.findNetwork(network), docker.find(reference), tools),
    disconnect: (network, reference) => disconnect(docker.findNetwork(network), docker.find(reference), tools),
    interfaces: (reference) => describeInterfaces(docker.find(reference)),
    exit(reference, exitCode) {
      const record = docker.find(reference);
      if (isRunning(record)) endContainer(record, tools, exitCode, 'own');
    },
    resolve: (host) => resolveHost(containers.values(), host),
    isUp: () => up,
    crashEngine(exitCode = 255) {
      if (!up) return;
      up = false;
      // The engine's API is gone before anything can be told of its containers.
      for (const each of hooks) void each.onEngine?.('down');
      for (const record of containers.values()) {
        record.cancelRestart?.();
        record.cancelRestart = undefined;
        if (isRunning(record)) endContainer(record, tools, exitCode, 'engine');
        if (record.status === 'restarting') record.status = 'exited';
      }
      events.clear();
    },
    async startEngine(order = []) {
      if (up) return;
      up = true;
      const due = sortForStart(docker.containers().filter(wantsStart), order, random);
      for (const record of due) startContainer(record, tools, 'asked');
      for (const each of hooks) await each.onEngine?.('up');
    },
    addHooks(added) {
      hooks.add(added);
      return () => hooks.delete(added);
    },
  };
  for (const spec of options.networks ?? [KIND_NETWORK]) docker.addNetwork(spec);
  return docker;
}
