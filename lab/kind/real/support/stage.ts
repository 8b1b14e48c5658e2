import { type Cluster, createCluster, deleteCluster, listClusters, removeHelpers } from '../../../scenarios/cluster.ts';
import { oldEntrypoint, restoreEntrypoint } from '../../../scenarios/faults/old-entrypoint.ts';
import { missingBuild, openLaboratory, startEngine } from '../../laboratory.ts';
import { waitUntilWell } from '../../../scenarios/waiting.ts';
import { placeMarker } from './marker.ts';
import { installProduct, type Product } from './product.ts';

export interface Stage {
  readonly cluster: Cluster;
  readonly product: Product;
}

/**
 * A well cluster (1 + 2 nodes with the runbook's old entrypoint by default), a user's belongings in it, and the product
 * with a clean home. What an earlier file left broken, or of another shape, is thrown away and made anew. The name is
 * $REKINDLE_LAB_CLUSTER, or idp-mvp.
 */
export async function setStage(profile = 'workers', entrypoint: 'old' | 'current' = 'old'): Promise<Stage> {
  const lab = await openLaboratory(process.env, (text) => process.stderr.write(`[lab] ${text}\n`));
  const missing = missingBuild(lab);
  if (missing !== undefined) {
    throw new Error(missing);
  }
  await startEngine(lab);
  const cluster: Cluster = { lab, name: clusterName() };
  await removeHelpers(cluster);
  const present = (await listClusters(lab)).find(({ name }) => name === cluster.name);
  if (present !== undefined && (present.profile !== profile || !(await isWell(cluster, 60_000)))) {
    lab.say(`${cluster.name} is broken, or of another shape; it is made anew`);
    await deleteCluster(cluster);
  }
  await createCluster(cluster, profile);
  if (entrypoint === 'old') await oldEntrypoint.stage(cluster, undefined);
  else await restoreEntrypoint(cluster);
  await waitUntilWell(cluster, { timeoutMs: 180_000 });
  await placeMarker(cluster);
  return { cluster, product: await installProduct(lab) };
}

export function clusterName(): string {
  return process.env.REKINDLE_LAB_CLUSTER ?? 'idp-mvp';
}

export async function clearStage(stage: Stage | undefined): Promise<void> {
  if (stage !== undefined) {
    await removeHelpers(stage.cluster);
    await stage.product.dispose();
  }
}

/** `heal --yes -o json` of the stage's cluster. */
export function heal(stage: Stage) {
  return stage.product.rekindle('heal', '--name', stage.cluster.name, '--yes', '-o', 'json');
}

/** `doctor -o json` of the stage's cluster. */
export function examine(stage: Stage) {
  return stage.product.rekindle('doctor', '--name', stage.cluster.name, '-o', 'json');
}

async function isWell(cluster: Cluster, timeoutMs: number): Promise<boolean> {
  try {
    await waitUntilWell(cluster, { timeoutMs });
    return true;
  } catch {
    return false;
  }
}
