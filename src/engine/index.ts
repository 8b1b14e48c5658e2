import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { EngineFacts } from '../facts/engine.ts';
import type { Facts } from '../facts/facts.ts';
import type { Plan } from '../repairs/step.ts';
import { diagnose } from './diagnose.ts';
import type { Diagnosis } from './diagnosis.ts';
import { type Explanation, explainFinding as explain } from './explain.ts';
import { makePlan } from './plan.ts';
import type { Surroundings } from './surroundings.ts';
import { failedEngineFacts, type World } from './world.ts';

export { allFindingIds } from './explain.ts';
export { diagnoseCluster } from './look.ts';
export { listClusters, openWorld, type World } from './world.ts';

export function diagnoseFacts(facts: Facts): Diagnosis {
  return diagnose(facts);
}

export function planFor(
  facts: Facts,
  diagnosis: Diagnosis,
  options: { readonly only: readonly string[]; readonly maxRisk: 'safe' | 'disruptive' },
): Plan {
  return makePlan(facts, diagnosis, { ...options, exhausted: () => false });
}

/** What is known of an engine that cannot be reached; null where it answers. */
export function readEngineFailure(world: World): EngineFacts | null {
  return world.engine.ok ? null : failedEngineFacts(world.engine.error, world.surroundings.platform);
}

/** The finding pages are shipped beside the program. */
export function explainFinding(id: string): Explanation | undefined {
  return explain(id, (path) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'));
}

/** The kubeconfig's current context; empty where there is none. */
export async function readCurrentContext(kubeconfig: string | undefined, surroundings: Surroundings): Promise<string> {
  const { findKubeconfig, parseKubeconfig } = await import('./gather/readers.ts');
  const path = await findKubeconfig({ options: kubeconfig === undefined ? {} : { kubeconfig }, surroundings }, '');
  try {
    const parsed = parseKubeconfig(await readFile(path, 'utf8'));
    return parsed.ok ? parsed.value.currentContext : '';
  } catch {
    return '';
  }
}
