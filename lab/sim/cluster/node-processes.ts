import type { ApiServerState, NodeMachine, NodeProcesses, Unit } from '../contracts.ts';
import { connect } from './dial.ts';
import { pickBetween } from './identifiers.ts';
import { kubeletConfig, type RunningKubelet, startKubelet } from './kubelet.ts';
import { installEtcd } from './programs/etcd.ts';
import { createRuntime } from './runtime.ts';
import { createScope } from './scope.ts';
import { createService } from './units.ts';
import type { ClusterWorld } from './world.ts';

/** Answers one request to an API server; made in api/. */
export type ApiHandler = (
  server: ApiServerState,
  request: {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: Buffer;
    readonly signal: AbortSignal;
  },
) => Promise<{ readonly status: number; readonly body: Buffer; readonly contentType: string }>;

/** What runs in one node. A load balancer has neither units nor containers. */
export function createNodeProcesses(
  world: ClusterWorld,
  machine: NodeMachine,
  handleRequest: ApiHandler | undefined,
): NodeProcesses {
  const { context } = world;
  const { clock, random } = context;
  const runtime = createRuntime(context, machine);
  world.runtimes.set(machine.name, runtime);
  const podAddresses = { next: 1 };
  let isUp = false;
  let boot = createScope(clock);
  let kubelet: RunningKubelet | undefined;

  const containerd = createService(context, {
    unit: 'containerd',
    description: 'containerd container runtime',
    conditionPath: undefined,
    conditionHolds: () => true,
    run: () => true,
    end: () => undefined,
  });
  const kubeletService = createService(context, {
    unit: 'kubelet',
    description: 'kubelet: The Kubernetes Node Agent',
    conditionPath: kubeletConfig,
    conditionHolds: () => machine.files.stat(kubeletConfig) !== undefined,
    run() {
      const started = startKubelet({
        world,
        machine,
        runtime,
        processId: 170 + Math.floor(random() * 900),
        containerdRuns: () => containerd.state().activeState === 'active',
        write: (line) => kubeletService.write(line),
        podAddresses,
      });
      kubelet = started.ok ? started.kubelet : undefined;
      return started.ok;
    },
    end() {
      kubelet?.end();
      kubelet = undefined;
      runtime.onChange = undefined;
    },
  });
  const services = { kubelet: kubeletService, containerd };

  const processes: NodeProcesses = {
    sysctl: world.sysctl,
    unit: (unit) => services[unit].state(),
    control: (unit, verb) =>
      new Promise((resolve) => {
        const act = { start: startUnit, stop: stopUnit, restart: restartUnit, 'reset-failed': resetUnit }[verb];
        clock.schedule(verb === 'reset-failed' ? 10 : pickBetween(random, 60, 180), () => {
          if (isUp) act(unit);
          resolve();
        });
      }),
    containers: () => (containerd.state().activeState === 'active' ? runtime.list() : undefined),
    stopContainer: (idOrPrefix) =>
      new Promise((resolve) => {
        const container = runtime.find(idOrPrefix);
        if (container === undefined) resolve(false);
        else runtime.stop(container.id, 3_000, () => resolve(true));
      }),
    journal: (unit) => services[unit].journal(),
    etcdPid: () => world.etcd.processAt(machine.name)?.processId,
    etcdSnapshot() {
      if (world.etcd.processAt(machine.name) === undefined || !world.etcd.isHealthy(machine.name)) {
        return { ok: false, reason: 'Error: context deadline exceeded' };
      }
      const revision = world.store.revision;
      return { ok: true, bytes: Buffer.from(JSON.stringify({ snapshot: world.name, revision })) };
    },
    async askApi({ host, port, method, path, headers = {}, body = Buffer.alloc(0), signal }) {
      const dialled = connect(world, machine, host, port);
      if (!dialled.ok) {
        const why = dialled.why === 'no-route' || dialled.why === 'name' ? 'no-route' : 'refused';
        return { ok: false, why, reason: dialled.message };
      }
      const { server } = dialled;
      const authority = machine.files.readText('/etc/kubernetes/pki/ca.crt') ?? '';
      const mistrust = world.trust.refuseServer(server.certificatePem, authority, host, clock.now());
      if (mistrust !== undefined) return { ok: false, why: 'tls', reason: mistrust };
      if (handleRequest === undefined) return { ok: false, why: 'timeout', reason: 'no handler of requests is set' };
      const request = { method, path, headers, body, signal: signal ?? new AbortController().signal };
      try {
        return { ok: true, ...(await handleRequest(server, request)) };
      } catch (error) {
        if (signal?.aborted !== true) throw error;
        return { ok: false, why: 'timeout', reason: 'context deadline exceeded' };
      }
    },
    up() {
      if (isUp) return;
      isUp = true;
      installEtcd(world);
      boot = createScope(clock);
      world.etcd.refresh();
      if (machine.role === 'external-load-balancer') return;
      // systemd starts both at once. containerd's socket is not there yet, so the kubelet ends and is started once more.
      const kubeletMs = pickBetween(random, 500, 1_200);
      boot.schedule(kubeletMs, () => kubeletService.start());
      boot.schedule(kubeletMs + pickBetween(random, 400, 900), () => containerd.start());
    },
    down() {
      if (!isUp) return;
      isUp = false;
      boot.end();
      kubeletService.powerOff();
      runtime.powerOff();
      containerd.powerOff();
      world.etcd.refresh();
    },
  };

  function startUnit(unit: Unit): void {
    services[unit].start();
  }
  function stopUnit(unit: Unit): void {
    services[unit].stop();
  }
  function restartUnit(unit: Unit): void {
    services[unit].stop();
    services[unit].start();
  }
  function resetUnit(unit: Unit): void {
    services[unit].resetFailed();
  }
  return processes;
}
