import type { NodeMachine, NodeProcesses, RuntimeContainer, UnitState } from '../../contracts.ts';

export interface FakeProcesses extends NodeProcesses {
  /** What was asked of it, in order. */
  readonly calls: string[];
  /** How many times it was told to come up, and to go down. */
  readonly ups: () => number;
  readonly downs: () => number;
}

/** A node where everything runs, as long as it is up. `overrides` replaces single answers. */
export function createFakeProcesses(
  machine: NodeMachine,
  now: () => number,
  overrides: Partial<NodeProcesses> = {},
): FakeProcesses {
  const calls: string[] = [];
  let [ups, downs] = [0, 0];
  let startedAt: number | undefined;
  let stopped = new Set<string>();
  const components = machine.role === 'control-plane' ? controlPlaneComponents : [];
  const isUp = () => startedAt !== undefined;
  return {
    calls,
    ups: () => ups,
    downs: () => downs,
    sysctl: new Map([
      ['fs.inotify.max_user_instances', '128'],
      ['fs.inotify.max_user_watches', '192536'],
    ]),
    unit: (): UnitState => ({
      activeState: isUp() ? 'active' : 'inactive',
      subState: isUp() ? 'running' : 'dead',
      restarts: 0,
      activeSince: startedAt ?? 0,
    }),
    control(unit, verb) {
      calls.push(`${verb} ${unit}`);
      return Promise.resolve();
    },
    containers: () =>
      isUp() ? components.map((name, index) => describeContainer(name, index, startedAt ?? 0, stopped)) : undefined,
    stopContainer(id) {
      const known = components.some((_, index) => idOf(index).startsWith(id));
      if (known) stopped = new Set([...stopped, id]);
      calls.push(`stop ${id}`);
      return Promise.resolve(known);
    },
    journal: (unit) => [`Started ${unit}.service.`, `${unit} says two`, `${unit} says three`],
    etcdPid: () => (isUp() && components.includes('etcd') ? 401 : undefined),
    etcdSnapshot: () => ({ ok: true, bytes: Buffer.from('snapshot') }),
    askApi({ method, path }) {
      calls.push(`${method} ${path}`);
      return Promise.resolve({ ok: true, status: 200, body: Buffer.from('ok'), contentType: 'text/plain' });
    },
    up() {
      ups += 1;
      startedAt = now();
    },
    down() {
      downs += 1;
      startedAt = undefined;
    },
    ...overrides,
  };
}

const controlPlaneComponents = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'];

function idOf(index: number): string {
  return String(index + 1).repeat(64);
}

function describeContainer(
  name: string,
  index: number,
  createdAt: number,
  stopped: ReadonlySet<string>,
): RuntimeContainer {
  const id = idOf(index);
  const isStopped = [...stopped].some((one) => id.startsWith(one));
  return {
    id,
    name,
    podName: `${name}-box`,
    podNamespace: 'kube-system',
    podUid: `uid-${index}`,
    image: `registry.k8s.io/${name}:v1.34.4`,
    state: isStopped ? 'exited' : 'running',
    attempt: 2,
    createdAt,
    finishedAt: isStopped ? createdAt + 1000 : undefined,
    exitCode: isStopped ? 0 : undefined,
    log: [`${name} one`, `${name} two`],
  };
}
