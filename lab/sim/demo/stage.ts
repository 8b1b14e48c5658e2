import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DemoEvent, DemoPicture } from '../../../src/cli/documents.ts';
import { stageFaults } from '../../scenarios/play.ts';
import type { Scenario } from '../../scenarios/scenario.ts';
import type { SimCluster } from '../cluster-of-world.ts';
import { setSimStage } from '../laboratory/stage.ts';
import { catchUp } from '../real-time.ts';
import { createWorld, type SimWorld } from '../world.ts';
import { makeDemoFolder } from './folder.ts';
import { takePicture } from './picture.ts';
import type { DemoTime } from './time.ts';

export interface DemoStage {
  readonly world: SimWorld;
  readonly cluster: SimCluster;
  /** A folder for everything the product keeps; it goes with the world. */
  readonly home: string;
  readonly kubeconfig: string;
  readonly before: DemoPicture;
  close(): Promise<void>;
}

export interface DemoStageOptions {
  readonly seed: number;
  /** The runbook's crash of a whole site where there is none. */
  readonly scenario: Scenario | undefined;
  readonly time: DemoTime;
  readonly signal: AbortSignal;
  readonly tell: (event: DemoEvent) => void;
}

const minute = 60_000;
const clusterName = 'idp-mvp';
/** How long the cluster has been well before it is broken; long enough for everything in it to have settled. */
const wellMs = 20 * minute;
/** After this the pods of a node that is gone have been evicted: the API waits for 40 s and tolerates for 5 minutes. */
const afterCrashMs = 7 * minute;
/** What acts on a cluster takes some time itself, apart from what passes afterwards. */
const actingMs = 15_000;
const leakedInotifyInstances = 90;

/** A cluster that has just been broken, at the moment that `time` wants it to be. */
export async function setDemoStage(options: DemoStageOptions): Promise<DemoStage> {
  const { scenario } = options;
  const folder = await makeDemoFolder();
  try {
    const stage = await (scenario === undefined
      ? stageSite(options, folder.path)
      : stageScenario(options, folder.path, scenario));
    return {
      ...stage,
      async close() {
        try {
          await stage.close();
        } finally {
          await folder.remove();
        }
      },
    };
  } catch (error) {
    await folder.remove();
    throw error;
  }
}

async function stageSite(options: DemoStageOptions, folder: string): Promise<DemoStage> {
  const { seed, time, signal } = options;
  const end = time.now();
  const world = await createWorld({ seed, start: new Date(end - afterCrashMs - wellMs), folder });
  return await closeOnFailure(world, async () => {
    const cluster = await world.createCluster(
      clusterName,
      { controlPlanes: 1, workers: 2 },
      { entrypoint: 'before-v0.30' },
    );
    cluster.model.addIdpWorkloads();
    const home = join(world.folder, 'home');
    const kubeconfig = join(home, '.kube', 'config');
    await mkdir(dirname(kubeconfig), { recursive: true });
    await writeFile(kubeconfig, cluster.kubeconfig(), { mode: 0o600 });
    await catchUp(world.clock, () => end - afterCrashMs, signal);
    const before = takePicture(world, cluster);
    const tell = makeTeller(options, world);
    tell(`${clusterName} is well: ${countNodes(before)} Ready, ${countAnswers(before)}`);

    world.docker.crashEngine();
    tell('Docker crashes, and every container with it');
    await catchUp(world.clock, () => end - afterCrashMs + 5_000, signal);
    cluster.model.leakInotifyInstances(leakedInotifyInstances);
    // The control plane comes last, and finds its address taken.
    const [first = '', ...others] = cluster.guests.keys();
    await world.docker.startEngine([...others, first]);
    tell(`Docker is back, and deals addresses anew: ${describeMoves(before, world)}`);
    const allowed = world.sysctl.get('fs.inotify.max_user_instances') ?? '';
    tell(`the crash has left ${leakedInotifyInstances} inotify instances behind, of ${allowed} that the host allows`);
    await catchUp(world.clock, () => end, signal);
    tell(`${afterCrashMs / minute} minutes later (simulated time leaps)`);
    return { world, cluster, home, kubeconfig, before, close: () => world.close() };
  });
}

async function stageScenario(options: DemoStageOptions, folder: string, scenario: Scenario): Promise<DemoStage> {
  const { seed, time, signal } = options;
  const { profile, entrypoint, faults } = scenario;
  const end = time.now();
  const passing = faults.reduce((sum, { thenSeconds = 0 }) => sum + thenSeconds * 1000, 0);
  const begin = end - passing - actingMs;
  const stage = await setSimStage({
    seed,
    profile,
    entrypoint,
    name: clusterName,
    start: new Date(begin - wellMs),
    folder,
  });
  const { world, simCluster: cluster, visitor } = stage;
  return await closeOnFailure(world, async () => {
    await catchUp(world.clock, () => begin, signal);
    const before = takePicture(world, cluster);
    const tell = makeTeller(options, world);
    tell(`${clusterName} is well: ${countNodes(before)} Ready`);
    for (const staged of faults) {
      tell(staged.fault.summary);
      await world.driver.run(stageFaults([staged], stage), 10 * minute);
      signal.throwIfAborted();
    }
    await catchUp(world.clock, () => end, signal);
    const moves = describeMoves(before, world);
    tell(moves === '' ? 'no address has changed' : `addresses have changed: ${moves}`);
    return { world, cluster, home: visitor.home, kubeconfig: visitor.kubeconfig, before, close: () => world.close() };
  });
}

async function closeOnFailure<T>(world: SimWorld, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await world.close();
    throw error;
  }
}

function makeTeller({ signal, tell }: DemoStageOptions, world: SimWorld): (text: string) => void {
  return (text) => {
    signal.throwIfAborted();
    tell({ at: new Date(world.clock.now()).toISOString(), text });
  };
}

function countNodes({ nodes }: DemoPicture): string {
  const ready = nodes.filter(({ status }) => status === 'Ready').length;
  return `${ready} of ${nodes.length} nodes`;
}

function countAnswers({ urls }: DemoPicture): string {
  return `${urls.filter(({ answer }) => answer === 200).length} of ${urls.length} URLs answer`;
}

/** `idp-mvp-worker 172.18.0.3 → 172.18.0.2, …`; empty where all addresses are the same. */
function describeMoves(before: DemoPicture, world: SimWorld): string {
  return before.nodes
    .map(({ name, dockerAddress }) => ({ name, from: dockerAddress, to: world.docker.interfaces(name)[0]?.ipv4 ?? '' }))
    .filter(({ from, to }) => to !== '' && from !== to)
    .map(({ name, from, to }) => `${name.replace(`${clusterName}-`, '')} ${from} → ${to}`)
    .join(', ');
}
