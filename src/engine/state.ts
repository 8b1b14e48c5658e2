import type { RunStore } from '../runs/journal.ts';
import { stateDirectory } from '../runs/location.ts';
import { acquireLock, type Lock, lockDirectory, lockKey } from '../runs/lock.ts';
import { describeHolder, isHolderAlive } from '../runs/process.ts';
import { openRunStore } from '../runs/store.ts';
import type { Surroundings } from './surroundings.ts';

export function openRuns(surroundings: Surroundings): RunStore {
  const { clock, randomId } = surroundings;
  return openRunStore({ directory: stateDirectory(surroundings), clock, randomId });
}

/** One run per cluster and engine at a time. Rejects with a LockedError that names the holder. */
export async function lockCluster(
  cluster: string,
  engineId: string,
  command: string,
  surroundings: Surroundings,
): Promise<Lock> {
  const { pid, platform, hostName, clock } = surroundings;
  return await acquireLock({
    directory: lockDirectory(stateDirectory(surroundings)),
    key: lockKey(cluster, engineId),
    holder: await describeHolder({ pid, platform }, { host: hostName, command, since: clock.now().toISOString() }),
    isAlive: (holder) => isHolderAlive(holder, platform),
  });
}
