import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createWorld } from '../lab/sim/world.ts';

/** One cluster of a simulated world of its own, for programs that only look at it. */
export interface ScaleWorld {
  readonly nodes: number;
  readonly pods: number;
  /** What a program in it has around it. */
  readonly environment: Readonly<Record<string, string>>;
  /** Lets the world catch up with the real time. Until the next call it stands still. */
  catchUp(): Promise<void>;
  /** Told of each command that is started in a node. Answers a function that ends it. */
  onExec(listener: () => void): () => void;
  close(): Promise<void>;
}

/** Longer than it takes until all is Ready and every pod runs. Milliseconds. */
const growthMs = 300_000;
/** Pods of one workload. */
const replicas = 100;

/** One control plane and workers, and pods that run on all of them. Rejects where they do not. */
export async function makeScaleWorld(nodes: number, pods: number): Promise<ScaleWorld> {
  const world = await createWorld({ seed: 1, start: new Date(Date.now() - growthMs) });
  const cluster = await world.createCluster('scale', { controlPlanes: 1, workers: nodes - 1 });
  const own = cluster.store.list('pods').length;
  const workloads = Math.ceil(Math.max(0, pods - own) / replicas);
  for (let at = 0; at < workloads; at += 1) {
    cluster.model.addWorkload('Deployment', {
      namespace: 'scale',
      name: `load-${at}`,
      image: 'docker.io/library/nginx:1.29',
      replicas: Math.min(replicas, pods - own - at * replicas),
    });
  }
  const kubeconfig = join(world.folder, 'home', '.kube', 'config');
  await mkdir(join(world.folder, 'home', '.kube'), { recursive: true });
  await writeFile(kubeconfig, cluster.kubeconfig(), { mode: 0o600 });
  const catchUp = () => world.clock.advance(Math.max(0, Date.now() - world.clock.now()));
  await catchUp();
  const running = cluster.store.list('pods').filter(({ status }) => isRunning(status)).length;
  if (running < pods) {
    await world.close();
    throw new Error(`${running} of ${pods} pods run in the simulated world: its scheduler did not get through`);
  }
  return {
    nodes,
    pods: running,
    environment: {
      HOME: join(world.folder, 'home'),
      KUBECONFIG: kubeconfig,
      XDG_DATA_HOME: join(world.folder, 'home', 'data'),
      DOCKER_HOST: world.dockerHost(),
      NO_COLOR: '1',
    },
    catchUp,
    onExec: (listener) =>
      world.docker.events.follow(({ action }) => {
        if (action.startsWith('exec_start')) listener();
      }),
    close: () => world.close(),
  };
}

function isRunning(status: unknown): boolean {
  return (status as { readonly phase?: string } | undefined)?.phase === 'Running';
}
