import {
  allFindingIds,
  diagnoseCluster,
  diagnoseFacts,
  explainFinding,
  listClusters,
  openWorld,
  planFor,
  readCurrentContext,
  readEngineFailure,
  type World,
} from '../engine/index.ts';
import type { Surroundings } from '../engine/surroundings.ts';
import { stateDirectory } from '../runs/location.ts';
import type { EngineApi, Runs } from './engine-api.ts';

/** The real engine, as the commands see it. */
export const engine: EngineApi<World> = {
  openWorld,
  readEngineFailure,
  listClusters,
  diagnoseCluster,
  diagnoseFacts,
  planFor,
  // Looking needs nothing of what acts.
  healCluster: async (...call) => (await import('../engine/heal.ts')).healCluster(...call),
  undoRun: async (...call) => (await import('../engine/undo.ts')).undoRun(...call),
  makeBundle: async (...call) => (await import('../engine/bundle.ts')).makeBundle(...call),
  explainFinding,
  allFindingIds,
  readCurrentContext,
  openRuns,
};

/** The run store and its schemas are loaded by the commands that read runs. */
function openRuns(surroundings: Surroundings): Runs {
  const open = async () => (await import('../engine/state.ts')).openRuns(surroundings);
  return {
    directory: stateDirectory(surroundings),
    list: async () => (await open()).list(),
    resolve: async (reference) => (await (await import('../runs/resolve.ts')).resolveRun(await open(), reference)).id,
    read: async (run) => (await open()).read(run),
    describeChanges: async (run) => (await import('../runs/diff.ts')).describeChanges(await open(), run),
  };
}
