import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import {
  allFindingIds,
  diagnoseCluster,
  diagnoseFacts,
  explainFinding,
  healCluster,
  listClusters,
  openWorld,
  planFor,
  undoRun,
} from '../engine/index.ts';
import type { Surroundings } from '../engine/surroundings.ts';
import { engineFacts, type World } from '../engine/world.ts';
import { locateKubeconfig } from '../kubeconfig/locate.ts';
import { parseKubeconfig } from '../kubeconfig/parse.ts';
import { describeChanges } from '../runs/diff.ts';
import { stateDirectory } from '../runs/location.ts';
import { resolveRun } from '../runs/resolve.ts';
import { openRunStore } from '../runs/store.ts';
import type { EngineApi, Runs } from './engine-api.ts';

/** The real engine, as the commands see it. */
export const engine: EngineApi<World> = {
  openWorld,
  readEngineFailure: (world) => (world.engine.ok ? null : engineFacts(world)),
  listClusters,
  diagnoseCluster,
  diagnoseFacts,
  planFor,
  healCluster,
  undoRun,
  explainFinding,
  allFindingIds,
  readCurrentContext,
  openRuns,
};

async function readCurrentContext(flag: string | undefined, surroundings: Surroundings): Promise<string> {
  const { environment, home, workingDirectory } = surroundings;
  const read = (path: string): Promise<string | undefined> =>
    readFile(resolve(workingDirectory, path), 'utf8').catch(() => undefined);
  const path = await locateKubeconfig({
    flag,
    environment,
    home,
    exists: async (candidate) => (await read(candidate)) !== undefined,
  });
  const parsed = parseKubeconfig((await read(path)) ?? '');
  return parsed.ok ? (parsed.value.currentContext ?? '') : '';
}

function openRuns(surroundings: Surroundings): Runs {
  const { clock, randomId } = surroundings;
  const store = openRunStore({ directory: stateDirectory(surroundings), clock, randomId });
  return {
    directory: store.directory,
    list: () => store.list(),
    resolve: async (reference) => (await resolveRun(store, reference)).id,
    read: (run) => store.read(run),
    describeChanges: (run) => describeChanges(store, run),
  };
}
