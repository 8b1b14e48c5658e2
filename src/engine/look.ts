import type { Facts } from '../facts/facts.ts';
import type { Diagnosis } from './diagnosis.ts';
import { diagnose } from './diagnose.ts';
import { type Gathered, gather } from './gather/gather.ts';
import type { Host } from './messages.ts';
import type { World } from './world.ts';

export type Looked = Gathered & { readonly diagnosis: Diagnosis };

/** One look at the cluster, judged, with a word to the host at each stage. */
export async function look(
  world: World,
  cluster: string,
  host: Host,
  signal: AbortSignal,
  round: number,
): Promise<Looked> {
  host.tell({ code: 'gather-started', cluster });
  const gathered = await gather(world, cluster, signal);
  host.tell({ code: 'gather-ended', cluster });
  const diagnosis = diagnose(gathered.facts);
  host.tell({ code: 'diagnosed', diagnosis, round });
  return { ...gathered, diagnosis };
}

export async function diagnoseCluster(
  world: World,
  cluster: string,
  { host, signal }: { readonly host: Host; readonly signal: AbortSignal },
): Promise<{ readonly facts: Facts; readonly diagnosis: Diagnosis }> {
  const { facts, diagnosis } = await look(world, cluster, host, signal, 1);
  return { facts, diagnosis };
}
