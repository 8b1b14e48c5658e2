import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { VirtualClock } from '../../clock.ts';
import { createVirtualClock } from '../../clock.ts';
import type { Guest, GuestExec, Interface } from '../../contracts.ts';
import { createFileSystem } from '../../files.ts';
import type { Docker, DockerOptions } from '../docker.ts';
import { createDocker } from '../docker.ts';
import { createRandom } from '../../random.ts';
import type { EngineServer } from '../server.ts';
import { startEngineServer } from '../server.ts';

export interface FakeGuest extends Guest {
  /** What happened to it, in order. */
  readonly story: string[];
  interfaces: readonly Interface[];
  /** Of the boots to come, the first one's answer first. */
  readonly bootAnswers: (number | undefined)[];
  play: (request: GuestExec) => Promise<number>;
}

export function createFakeGuest(now: () => number): FakeGuest {
  const guest: FakeGuest = {
    files: createFileSystem(now),
    story: [],
    interfaces: [],
    bootAnswers: [],
    play: () => Promise.resolve(0),
    boot(interfaces) {
      guest.interfaces = interfaces;
      guest.story.push(`boot ${interfaces.map((each) => `${each.device}=${each.ipv4}`).join(' ')}`);
      return Promise.resolve(guest.bootAnswers.shift());
    },
    halt() {
      guest.interfaces = [];
      guest.story.push('halt');
    },
    readdress(interfaces) {
      guest.interfaces = interfaces;
      guest.story.push(`readdress ${interfaces.map((each) => `${each.device}=${each.ipv4}`).join(' ')}`);
    },
    exec: (request) => guest.play(request),
  };
  return guest;
}

export interface TestDocker {
  readonly clock: VirtualClock;
  readonly docker: Docker;
  add(name: string, options?: Partial<Parameters<Docker['create']>[0]>): FakeGuest;
}

export function createTestDocker(options: DockerOptions = {}, seed = 1): TestDocker {
  const clock = createVirtualClock(new Date('2026-01-02T03:04:05Z'));
  const docker = createDocker({ clock, random: createRandom(seed) }, options);
  return {
    clock,
    docker,
    add(name, spec = {}) {
      const guest = createFakeGuest(() => clock.now());
      docker.create({ name, image: 'kindest/node:v1.34.4', hostname: name, guest, ...spec });
      return guest;
    },
  };
}

export interface TestEngine extends TestDocker {
  readonly server: EngineServer;
  /** How many requests are being worked on. */
  busy(): number;
  close(): Promise<void>;
}

/** An engine whose clock goes on whenever no request is being worked on. */
export async function startTestEngine(options: DockerOptions = {}): Promise<TestEngine> {
  const world = createTestDocker(options);
  const folder = await mkdtemp(join(tmpdir(), 'rekindle-sim-'));
  let busy = 0;
  const over = new AbortController();
  const activity = {
    begin() {
      busy += 1;
      return () => {
        busy -= 1;
      };
    },
  };
  const server = await startEngineServer(world.docker, { socketPath: join(folder, 'docker.sock'), activity });
  const drive = async () => {
    while (!over.signal.aborted) {
      if (busy === 0) await world.clock.step();
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const driven = drive();
  return {
    ...world,
    server,
    busy: () => busy,
    async close() {
      over.abort();
      await driven;
      await server.close();
      await rm(folder, { recursive: true });
    },
  };
}
