import { type Cluster, createCluster, deleteCluster, listNodes, removeHelpers } from '../../../scenarios/cluster.ts';
import { oldEntrypoint } from '../../../scenarios/faults/old-entrypoint.ts';
import { missingBuild, openLaboratory, startEngine } from '../../laboratory.ts';
import { waitUntilWell } from '../../../scenarios/waiting.ts';
import { placeMarker } from './marker.ts';
import { installProduct, type Product } from './product.ts';

export interface Stage {
  readonly cluster: Cluster;
  readonly product: Product;
}

/**
 * A well 1 + 2 cluster with the runbook's old entrypoint, a user's belongings in it, and the product with a clean
 * home. What an earlier file left broken is thrown away and made anew. The name is $REKINDLE_LAB_CLUSTER, or idp-mvp.
 */
export async function setStage(): Promise<Stage> {
  const lab = await openLaboratory(process.env, (text) => process.stderr.write(`[lab] ${text}\n`));
  const missing = missingBuild(lab);
  if (missing !== undefined) {
    throw new Error(missing);
  }
  await startEngine(lab);
  const cluster: Cluster = { lab, name: process.env.REKINDLE_LAB_CLUSTER ?? 'idp-mvp' };
  await removeHelpers(cluster);
  if ((await listNodes(cluster)).length > 0 && !(await isWell(cluster, 60_000))) {
    lab.say(`${cluster.name} is broken; it is made anew`);
    await deleteCluster(cluster);
  }
  await createCluster(cluster, 'workers');
  await oldEntrypoint.stage(cluster, undefined);
  await waitUntilWell(cluster, { timeoutMs: 180_000 });
  await placeMarker(cluster);
  return { cluster, product: await installProduct(lab) };
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
