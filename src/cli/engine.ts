import {
  allFindingIds,
  diagnoseCluster,
  diagnoseFacts,
  explainFinding,
  healCluster,
  listClusters,
  openWorld,
  planFor,
  readCurrentContext,
  readEngineFailure,
  undoRun,
  type World,
} from '../engine/index.ts';
import { openRuns as openStore } from '../engine/state.ts';
import type { Surroundings } from '../engine/surroundings.ts';
import { describeChanges } from '../runs/diff.ts';
import { resolveRun } from '../runs/resolve.ts';
import type { EngineApi, Runs } from './engine-api.ts';

/** The real engine, as the commands see it. */
export const engine: EngineApi<World> = {
  openWorld,
  readEngineFailure,
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

function openRuns(surroundings: Surroundings): Runs {
  const store = openStore(surroundings);
  return {
    directory: store.directory,
    list: () => store.list(),
    resolve: async (reference) => (await resolveRun(store, reference)).id,
    read: (run) => store.read(run),
    describeChanges: (run) => describeChanges(store, run),
  };
}
