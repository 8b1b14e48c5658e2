import { type ArchiveFile, type Engine, EngineError } from '../../../../src/docker/port.ts';
import { unusedEngine } from '../../../../src/docker/testing/unused-engine.ts';
import { createVirtualClock, type VirtualClock } from '../../clock.ts';
import type { Interface, NodeProcesses, SimContext } from '../../contracts.ts';
import { createClusterFiles } from '../create.ts';
import { createNodeGuest, type NodeGuest } from '../guest.ts';
import { currentImage, nameContainers, type NodeImage, type NodePlace } from '../image.ts';
import { createFakeProcesses, type FakeProcesses } from './fake-processes.ts';

export interface TestCluster {
  readonly clock: VirtualClock;
  readonly guests: ReadonlyMap<string, NodeGuest>;
  readonly processes: ReadonlyMap<string, FakeProcesses>;
  readonly engine: Engine;
  guest(name: string): NodeGuest;
  /** Starts a container with addresses ending in that number, and lets its boot come to its end. */
  start(name: string, number: number): Promise<number | undefined>;
}

export interface TestClusterOptions {
  readonly controlPlanes?: number;
  readonly workers?: number;
  readonly image?: Partial<NodeImage>;
  readonly processes?: Partial<NodeProcesses>;
}

export const testStart = new Date('2026-11-30T21:00:00.000Z');

/** The addresses that end in a number, as kind's network deals them. */
export function placeOf(number: number): Pick<NodePlace, 'ipv4' | 'ipv6' | 'gateway'> {
  return {
    ipv4: `172.18.0.${number}`,
    ipv6: `fc00:f853:ccd:e793::${number.toString(16)}`,
    gateway: '172.18.0.1',
  };
}

export function interfacesOf(number: number): Interface[] {
  return [{ network: 'kind', device: 'eth0', ...placeOf(number) }];
}

/** A cluster just made, its containers stopped; the first one has the address that ends in 2. */
export function createTestCluster(options: TestClusterOptions = {}): TestCluster {
  const clock = createVirtualClock(testStart);
  const image = { ...currentImage, ...options.image };
  const topology = nameContainers('dev', {
    controlPlanes: options.controlPlanes ?? 1,
    workers: options.workers ?? 1,
  }).map((container, index) => ({ ...container, ...placeOf(index + 2) }));
  const guests = new Map<string, NodeGuest>();
  const processes = new Map<string, FakeProcesses>();
  const context: SimContext = {
    clock,
    random: () => 0.5,
    network: {
      resolve(host) {
        const [first] = guests.get(host)?.machine.interfaces() ?? [];
        return first === undefined ? undefined : { container: host, ipv4: first.ipv4, ipv6: first.ipv6 };
      },
    },
  };
  const files = createClusterFiles({ cluster: 'dev', topology, image, now: () => clock.now(), random: () => 0.5 });
  for (const { name, role } of topology) {
    const own = files.get(name);
    const guest = createNodeGuest({
      context,
      name,
      cluster: 'dev',
      role,
      image,
      ...(own === undefined ? {} : { files: own }),
      processesOf(machine) {
        const made = createFakeProcesses(machine, () => clock.now(), options.processes);
        processes.set(name, made);
        return made;
      },
    });
    guests.set(name, guest);
  }
  const find = (name: string) => {
    const guest = guests.get(name);
    if (guest === undefined) throw new Error(`there is no container ${name}`);
    return guest;
  };
  return {
    clock,
    guests,
    processes,
    engine: createStubEngine(find),
    guest: find,
    async start(name, number) {
      const exitCode = await find(name).boot(interfacesOf(number));
      await clock.advance(3000);
      return exitCode;
    },
  };
}

export async function runIn(guest: NodeGuest, argv: readonly string[], stdin = '') {
  const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
  const exitCode = await guest.exec({
    argv,
    environment: [],
    readStdin: () => Promise.resolve(Buffer.from(stdin)),
    writeStdout: (bytes) => void stdout.push(Buffer.from(bytes as Uint8Array)),
    writeStderr: (bytes) => void stderr.push(Buffer.from(bytes as Uint8Array)),
    signal: new AbortController().signal,
  });
  return { exitCode, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() };
}

/** As much of Docker as the product's node port needs. */
function createStubEngine(find: (name: string) => NodeGuest): Engine {
  return {
    ...unusedEngine,
    async exec(name, { argv, stdin = Buffer.alloc(0), onStdout, signal }) {
      const guest = find(name);
      if (!guest.machine.running()) throw new EngineError('conflict', `container ${name} is not running`);
      const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
      const exitCode = await guest.exec({
        argv,
        environment: [],
        readStdin: () => Promise.resolve(Buffer.from(stdin)),
        writeStdout(bytes) {
          stdout.push(Buffer.from(bytes as Uint8Array));
          onStdout?.(Buffer.from(bytes as Uint8Array));
        },
        writeStderr: (bytes) => void stderr.push(Buffer.from(bytes as Uint8Array)),
        signal: signal ?? new AbortController().signal,
      });
      return { exitCode, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr) };
    },
    getArchive(name, path) {
      const parent = path.slice(0, path.lastIndexOf('/') + 1);
      const found = find(name).files.walk(path);
      if (found.length === 0) return Promise.reject(new EngineError('not-found', `Could not find the file ${path}`));
      return Promise.resolve(
        found.map(({ path: each, entry }): ArchiveFile => ({ ...entry, path: each.slice(parent.length) })),
      );
    },
  };
}
