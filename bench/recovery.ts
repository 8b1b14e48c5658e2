import { join } from 'node:path';
import {
  type Cluster,
  createCluster,
  deleteCluster,
  listKubernetesNodes,
  listNodes,
} from '../lab/scenarios/cluster.ts';
import { oldEntrypoint, restoreEntrypoint } from '../lab/scenarios/faults/old-entrypoint.ts';
import { shuffleAddresses } from '../lab/scenarios/faults/shuffle.ts';
import { explainUnwell, reportNodes, waitFor, waitUntilWell } from '../lab/scenarios/waiting.ts';
import { type Comparison, time } from './measure.ts';

const patience = { timeoutMs: 240_000 };

/**
 * The runbook's crash, really: old entrypoint, every container killed, every address new. Resolves once all that comes
 * back by itself has done so, and the control plane's kubelet alone is left dialling its old address.
 */
export async function stageRunbookCrash(cluster: Cluster): Promise<void> {
  await oldEntrypoint.stage(cluster, undefined);
  await shuffleAddresses(cluster);
  await waitFor(
    cluster.lab,
    'the workers to come back',
    async () => {
      const nodes = await listKubernetesNodes(cluster);
      const workers = nodes.filter((node) => node.role === 'worker');
      const reported = await reportNodes(cluster).catch(() => []);
      return explainUnwell(workers, reported, Date.now()) === undefined;
    },
    patience,
  );
  const reason = explainUnwell(await listKubernetesNodes(cluster), await reportNodes(cluster), Date.now());
  if (reason === undefined) {
    throw new Error(`${cluster.name} came back by itself; the runbook's crash was not staged`);
  }
}

/** From the command to every node Ready with the right address, the command's own end included. */
export async function timeRecovery(cluster: Cluster, recover: () => Promise<unknown>): Promise<number> {
  await stageRunbookCrash(cluster);
  return time(async () => {
    await recover();
    await waitUntilWell(cluster, patience);
  });
}

export function typedFix(cluster: Cluster): Promise<string> {
  return cluster.lab.run([join(import.meta.dirname, 'runbook-fix.sh'), cluster.name]);
}

export function typedDiagnosis(cluster: Cluster): Promise<string> {
  return cluster.lab.run([join(import.meta.dirname, 'runbook-diagnosis.sh'), cluster.name]);
}

/** What a restart takes where nothing has to be healed: kill and start, with the image's own entrypoint. */
export async function timeUnharmedRestart(cluster: Cluster): Promise<number> {
  await restoreEntrypoint(cluster);
  const names = (await listNodes(cluster)).map((node) => node.name);
  await cluster.lab.run(['docker', 'kill', ...names]);
  return time(async () => {
    await cluster.lab.run(['docker', 'start', ...names]);
    await waitUntilWell(cluster, patience);
  });
}

/** What people do who gave up: everything in the cluster is lost. */
export async function timeRecreation(cluster: Cluster): Promise<number> {
  return time(async () => {
    await deleteCluster(cluster);
    await createCluster(cluster, 'workers');
    await waitUntilWell(cluster, patience);
  });
}

/** The heal samples against one other way back. */
export function against(ours: Comparison, theirs: readonly number[]): Comparison {
  return { ours: ours.ours, theirs };
}
