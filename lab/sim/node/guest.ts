import type { Guest, GuestExec, Interface, NodeMachine, NodeProcesses, SimContext } from '../contracts.ts';
import { createFileSystem, type FileSystem } from '../files.ts';
import type { NodeInside } from './commands/command.ts';
import { runProgram } from './commands/run.ts';
import { writeDockerFiles, writeImageFiles } from './create.ts';
import { bootNode, type BootSituation, bootUntil, willGiveUp } from './entrypoint.ts';
import { dockerDns, renderHosts } from './files/docker.ts';
import { dynamicEnvoyFiles } from './files/load-balancer.ts';
import type { NodeImage, NodeRole } from './image.ts';

export interface NodeGuestRequest {
  readonly context: SimContext;
  readonly name: string;
  readonly cluster: string;
  readonly role: NodeRole;
  readonly image: NodeImage;
  /** A new one with the image's files by default. */
  readonly files?: FileSystem;
  /** Asked once, when the guest is made. */
  readonly processesOf: (machine: NodeMachine) => NodeProcesses;
}

export interface NodeGuest extends Guest {
  readonly machine: NodeMachine;
}

/** How long a boot's parts take, in milliseconds; a fifth more or less by chance. */
const delays = {
  /** Mounts, cgroups, machine id, iptables. */
  beginning: 450,
  rewrite: 8,
  certificate: 300,
  /** From the end of the entrypoint to systemd. */
  end: 150,
  loadBalancer: 300,
};

export function createNodeGuest(request: NodeGuestRequest): NodeGuest {
  const { context, name, cluster, role, image } = request;
  const files = request.files ?? createFileSystem(() => context.clock.now());
  if (request.files === undefined && role !== 'external-load-balancer') writeImageFiles(files, image);
  let interfaces: readonly Interface[] = [];
  let state: 'down' | 'booting' | 'up' = 'down';
  let callOff = () => {};
  let hasBooted = false;
  const machine: NodeMachine = {
    name,
    cluster,
    role,
    files,
    interfaces: () => interfaces,
    running: () => state !== 'down',
  };
  const processes = request.processesOf(machine);
  const inside: NodeInside = {
    ...machine,
    clock: context.clock,
    network: context.network,
    processes,
    booted: () => state === 'up',
  };

  function after(milliseconds: number, action: () => void): void {
    callOff = context.clock.schedule(milliseconds * (0.8 + 0.4 * context.random()), action);
  }

  function comeUp(): void {
    state = 'up';
    processes.up();
  }

  function takeActs(boot: ReturnType<typeof bootNode>): void {
    const next = boot.next();
    if (next.done === true) after(delays.end, comeUp);
    else after(next.value.startsWith('make ') ? delays.certificate : delays.rewrite, () => takeActs(boot));
  }

  return {
    files,
    machine,
    boot(dealt) {
      interfaces = dealt;
      state = 'booting';
      for (const folder of ['/run', '/tmp']) files.makeDirectory(folder);
      prepareFiles(files, name, dealt);
      if (role === 'external-load-balancer') {
        // kind fills them once, after the first start.
        if (image.loadBalancer === 'envoy-v0.32' && hasBooted)
          for (const path of dynamicEnvoyFiles) files.write(path, '');
        hasBooted = true;
        after(delays.loadBalancer, comeUp);
        return Promise.resolve(undefined);
      }
      const situation = describeSituation(name, dealt, () => context.clock.now());
      if (willGiveUp(files, situation)) {
        const { exitCode } = bootUntil(files, situation);
        interfaces = [];
        state = 'down';
        return Promise.resolve(exitCode);
      }
      after(delays.beginning, () => takeActs(bootNode(files, situation)));
      return Promise.resolve(undefined);
    },
    halt() {
      callOff();
      const wasUp = state === 'up';
      state = 'down';
      interfaces = [];
      if (wasUp) processes.down();
      for (const folder of ['/run', '/tmp'])
        for (const entry of files.list(folder) ?? []) files.remove(`${folder}/${entry}`);
    },
    readdress(dealt) {
      interfaces = dealt;
      // Docker adds the new addresses and leaves the old ones where they are until the container is started again.
      const former = readOwnAddresses(files, name);
      files.write('/etc/hosts', renderHosts(name, [...new Set([...listAddresses(dealt), ...former])]));
    },
    exec: (call) => execute(inside, call),
  };
}

function execute(
  inside: NodeInside,
  { argv, readStdin, writeStdout, writeStderr, signal }: GuestExec,
): Promise<number> {
  return runProgram(inside, argv, { readStdin, print: writeStdout, complain: writeStderr, signal });
}

function describeSituation(hostname: string, interfaces: readonly Interface[], now: () => number): BootSituation {
  const [first] = interfaces;
  const find = (key: 'ipv4' | 'ipv6') => interfaces.map((one) => one[key]).find((address) => address !== '') ?? '';
  return { hostname, ipv4: find('ipv4'), ipv6: find('ipv6'), gateway: first?.gateway ?? '', now };
}

/** Docker writes these anew at every start, but leaves a resolv.conf that somebody has changed. */
function prepareFiles(files: FileSystem, name: string, interfaces: readonly Interface[]): void {
  const isFirst = files.stat('/etc/resolv.conf') === undefined;
  writeDockerFiles(files, name, listAddresses(interfaces), isFirst ? dockerDns : undefined);
}

function listAddresses(interfaces: readonly Interface[]): string[] {
  return interfaces.flatMap(({ ipv4, ipv6 }) => [ipv4, ipv6]);
}

function readOwnAddresses(files: FileSystem, name: string): string[] {
  const lines = (files.readText('/etc/hosts') ?? '').split('\n').map((line) => line.trim().split(/\s+/));
  return lines.flatMap(([address = '', ...names]) => (names.includes(name) ? [address] : []));
}
