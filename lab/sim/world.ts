import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createVirtualClock, type VirtualClock } from './clock.ts';
import { type ClusterCounts, createCluster, type SimCluster } from './cluster-of-world.ts';
import type { SimContext } from './contracts.ts';
import { createDriver, type Driver } from './driver.ts';
import { createDocker, type Docker } from './engine/docker.ts';
import { type EngineServer, startEngineServer } from './engine/server.ts';
import { currentImage, type NodeImage } from './node/image.ts';
import { createRandom } from './random.ts';

/** A Docker engine with kind clusters, in this process: what a seed and a time make of it, and what visitors do. */
export interface SimWorld {
  readonly clock: VirtualClock;
  readonly random: () => number;
  readonly driver: Driver;
  readonly docker: Docker;
  readonly clusters: ReadonlyMap<string, SimCluster>;
  /** Kernel settings of the host, one for all containers. */
  readonly sysctl: Map<string, string>;
  /** A folder on the real disk that goes with the world: its engine's socket lies there. */
  readonly folder: string;
  /** Where the engine is to be reached, for DOCKER_HOST; another one after each `openDoor`. */
  dockerHost(): string;
  /** Closes the engine's socket for all who use it, and opens another: who was killed can do no more. */
  openDoor(): Promise<void>;
  shutDoor(): void;
  /** `kind create cluster`, waiting until every node is Ready. Rejects where that takes more than three minutes. */
  createCluster(name: string, counts: ClusterCounts, image?: Partial<NodeImage>): Promise<SimCluster>;
  deleteCluster(name: string): Promise<void>;
  close(): Promise<void>;
}

export interface WorldOptions {
  readonly seed: number;
  readonly start: Date;
  /** An empty folder; a temporary one by default, which `close` removes. */
  readonly folder?: string;
}

const readyWithinMs = 180_000;

export async function createWorld(options: WorldOptions): Promise<SimWorld> {
  const clock = createVirtualClock(options.start);
  const random = createRandom(options.seed);
  const driver = createDriver(clock);
  const docker = createDocker({ clock, random });
  const context: SimContext = { clock, random, network: docker };
  const clusters = new Map<string, SimCluster>();
  const sysctl = new Map([
    ['fs.inotify.max_user_instances', '128'],
    ['fs.inotify.max_user_watches', '65536'],
  ]);
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'rekindle-world-')));
  let doors = 0;
  let door = await openServer();

  async function openServer(): Promise<EngineServer> {
    doors += 1;
    return await startEngineServer(docker, {
      socketPath: join(folder, `docker-${doors}.sock`),
      activity: driver.activity,
    });
  }

  const world: SimWorld = {
    clock,
    random,
    driver,
    docker,
    clusters,
    sysctl,
    folder,
    dockerHost: () => door.endpoint.url,
    shutDoor: () => door.cut(),
    async openDoor() {
      await door.close();
      door = await openServer();
    },
    async createCluster(name, counts, image = {}) {
      if (clusters.has(name)) throw new Error(`there is a cluster ${name} already`);
      const cluster = await createCluster({
        name,
        counts,
        image: { ...currentImage, ...image },
        context,
        docker,
        sysctl,
        activity: driver.activity,
      });
      clusters.set(name, cluster);
      const limit = clock.now() + readyWithinMs;
      while (!cluster.isReady()) {
        if (clock.now() > limit) throw new Error(`the nodes of ${name} are not Ready after ${readyWithinMs / 1000} s`);
        await clock.advance(500);
      }
      return cluster;
    },
    async deleteCluster(name) {
      const cluster = clusters.get(name);
      if (cluster === undefined) return;
      for (const container of cluster.guests.keys()) docker.remove(container, { force: true });
      clusters.delete(name);
      await cluster.close();
    },
    async close() {
      for (const cluster of clusters.values()) await cluster.close();
      await door.close();
      if (options.folder === undefined) await rm(folder, { recursive: true, force: true });
    },
  };
  return world;
}
