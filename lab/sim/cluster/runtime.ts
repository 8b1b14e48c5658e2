import type { NodeMachine, RuntimeContainer, SimContext } from '../contracts.ts';
import { makeHex } from '../random.ts';
import { pickBetween } from './identifiers.ts';
import { createScope, type Scope } from './scope.ts';

/** What a program may use of the container that it runs in. */
export interface ProgramHost {
  readonly machine: NodeMachine;
  /** Ends with the process. */
  readonly scope: Scope;
  readonly processId: number;
  log(line: string): void;
  /** The process ends by itself. */
  exit(code: number): void;
  /** Its answers to probes may have changed. */
  changed(): void;
}

/** A running program, as the kubelet's probes see it. */
export interface RunningProgram {
  readonly started: () => boolean;
  readonly live: () => boolean;
  readonly ready: () => boolean;
  /** How long it takes to end when it is asked to, in milliseconds. */
  readonly stopMs: number;
  /** Called when it has ended, in whatever way. `crashed`: with its whole node. */
  readonly ended?: (crashed: boolean) => void;
}

export type Program = (host: ProgramHost) => RunningProgram;

export interface ContainerSpec {
  readonly name: string;
  readonly podName: string;
  readonly podNamespace: string;
  readonly podUid: string;
  readonly image: string;
  readonly attempt: number;
  /** Where the kubelet has the pod from. */
  readonly source: 'file' | 'api';
}

export interface Container extends RuntimeContainer {
  readonly source: 'file' | 'api';
  readonly processId: number;
  readonly program: RunningProgram;
  /** Why it ended, in the words of a pod's status. */
  readonly reason: string;
}

/** The container runtime of one node. Its containers go on while the kubelet, or containerd itself, is restarted. */
export interface Runtime {
  list(): readonly Container[];
  /** Those of one pod, oldest first. */
  ofPod(podUid: string): readonly Container[];
  start(spec: ContainerSpec, program: Program): Container;
  find(idOrPrefix: string): Container | undefined;
  /** Asks it to end, and kills it after its grace; `done` is called when it has ended. */
  stop(id: string, graceMs: number, done?: () => void): void;
  /** Ends it at once. */
  kill(id: string, code: number): void;
  /** Forgets the ended containers of a pod. */
  forget(podUid: string): void;
  /** Every process is gone with the node. */
  powerOff(): void;
  /** Told of each container that has ended while the node runs, or whose answers to probes may have changed. */
  onChange: ((container: Container) => void) | undefined;
}

type Mutable = { -readonly [Key in keyof Container]: Container[Key] } & { log: string[] };

const keptLines = 200;

export function createRuntime(context: SimContext, machine: NodeMachine): Runtime {
  const containers = new Map<string, Mutable>();
  const byPod = new Map<string, Mutable[]>();
  const scopes = new Map<string, Scope>();
  let lastProcessId = 400;

  function end(container: Mutable, code: number, reason: string, crashed: boolean): void {
    if (container.state !== 'running') return;
    scopes.get(container.id)?.end();
    scopes.delete(container.id);
    container.state = 'exited';
    container.exitCode = code;
    container.reason = reason;
    container.finishedAt = context.clock.now();
    container.program.ended?.(crashed);
    if (!crashed) runtime.onChange?.(container);
  }

  function drop(container: Mutable): void {
    containers.delete(container.id);
    const rest = (byPod.get(container.podUid) ?? []).filter((other) => other !== container);
    if (rest.length === 0) byPod.delete(container.podUid);
    else byPod.set(container.podUid, rest);
  }

  /** The kubelet keeps one ended container beside the running one, and none of a static pod's older manifests. */
  function tidy(spec: ContainerSpec): void {
    for (const container of (byPod.get(spec.podUid) ?? []).slice(0, -1))
      if (container.state === 'exited') drop(container);
    if (spec.source === 'api') return;
    for (const container of containers.values()) {
      const isOlder = container.podName === spec.podName && container.podUid !== spec.podUid;
      if (isOlder && container.podNamespace === spec.podNamespace && container.state === 'exited') drop(container);
    }
  }

  const runtime: Runtime = {
    onChange: undefined,
    list: () => [...containers.values()],
    ofPod: (podUid) => byPod.get(podUid) ?? [],
    start(spec, program) {
      tidy(spec);
      lastProcessId += 1 + Math.floor(pickBetween(context.random, 0, 40));
      const processId = lastProcessId;
      const scope = createScope(context.clock);
      let early: number | undefined;
      const container: Mutable = {
        ...spec,
        id: makeHex(context.random, 64),
        state: 'running',
        createdAt: context.clock.now(),
        finishedAt: undefined,
        exitCode: undefined,
        log: [],
        processId,
        reason: '',
        program: idleProgram,
      };
      containers.set(container.id, container);
      byPod.set(spec.podUid, [...(byPod.get(spec.podUid) ?? []), container]);
      scopes.set(container.id, scope);
      let begun = false;
      container.program = program({
        machine,
        scope,
        processId,
        log(line) {
          container.log.push(line);
          if (container.log.length > keptLines) container.log.splice(0, container.log.length - keptLines);
        },
        exit(code) {
          if (begun) end(container, code, code === 0 ? 'Completed' : 'Error', false);
          else early = code;
        },
        changed() {
          if (begun && container.state === 'running') runtime.onChange?.(container);
        },
      });
      begun = true;
      // A program that ends at once ends after its start: whoever started it has to know its id first.
      const code = early;
      if (code !== undefined) scope.schedule(80, () => end(container, code, 'Error', false));
      return container;
    },
    find(idOrPrefix) {
      const exact = containers.get(idOrPrefix);
      if (exact !== undefined || idOrPrefix === '') return exact;
      for (const container of containers.values()) if (container.id.startsWith(idOrPrefix)) return container;
      return undefined;
    },
    stop(id, graceMs, done) {
      const container = containers.get(id);
      const scope = scopes.get(id);
      if (container?.state !== 'running' || scope === undefined) {
        done?.();
        return;
      }
      const { stopMs } = container.program;
      const killed = stopMs > graceMs;
      context.clock.schedule(Math.min(stopMs, graceMs), () => {
        end(container, killed ? 137 : 0, killed ? 'Error' : 'Completed', false);
        done?.();
      });
    },
    kill(id, code) {
      const container = containers.get(id);
      if (container !== undefined) end(container, code, 'Error', false);
    },
    forget(podUid) {
      for (const container of byPod.get(podUid) ?? []) if (container.state !== 'running') drop(container);
    },
    powerOff() {
      for (const container of containers.values()) end(container, 255, 'Unknown', true);
    },
  };
  return runtime;
}

const idleProgram: RunningProgram = { started: () => true, live: () => true, ready: () => true, stopMs: 200 };
