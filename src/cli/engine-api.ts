import type { PackedBundle } from '../bundle/pack.ts';
import type { Diagnosis } from '../engine/diagnosis.ts';
import type { Explanation } from '../engine/explain.ts';
import type { HealOptions } from '../engine/heal.ts';
import type { HealOutcome, Host } from '../engine/messages.ts';
import type { UndoOptions } from '../engine/undo.ts';
import type { WorldOptions } from '../engine/world.ts';
import type { EngineFacts } from '../facts/engine.ts';
import type { Facts } from '../facts/facts.ts';
import type { Plan } from '../repairs/step.ts';
import type { FileChange } from '../runs/diff.ts';
import type { JournalEntry, RunSummary } from '../runs/journal.ts';
import type { Surroundings } from '../engine/surroundings.ts';

/** What the commands need of the engine and the run store; a fake stands in for it in the tests. */
export interface EngineApi<World = unknown> {
  openWorld(options: WorldOptions, surroundings: Surroundings): Promise<World>;
  /** What is known of the engine where it cannot be reached, null where it answers. */
  readEngineFailure(world: World): EngineFacts | null;
  listClusters(world: World): Promise<readonly string[]>;
  diagnoseCluster(
    world: World,
    cluster: string,
    options: { readonly host: Host; readonly signal: AbortSignal },
  ): Promise<{ readonly facts: Facts; readonly diagnosis: Diagnosis }>;
  diagnoseFacts(facts: Facts): Diagnosis;
  planFor(facts: Facts, diagnosis: Diagnosis, options: Pick<HealOptions, 'only' | 'maxRisk'>): Plan;
  healCluster(world: World, cluster: string, options: HealOptions): Promise<HealOutcome>;
  /** Packs what a look gives, and the cluster's runs; an empty cluster means those of all. Redacted. */
  makeBundle(
    world: World,
    cluster: string,
    options: { readonly host: Host; readonly signal: AbortSignal },
  ): Promise<PackedBundle>;
  undoRun(world: World, run: string, options: UndoOptions): Promise<HealOutcome>;
  explainFinding(id: string): Explanation | undefined;
  allFindingIds(): readonly string[];
  /** The kubeconfig's current context; empty where there is none. */
  readCurrentContext(kubeconfig: string | undefined, surroundings: Surroundings): Promise<string>;
  openRuns(surroundings: Surroundings): Runs;
}

export interface Runs {
  readonly directory: string;
  /** Newest first. */
  list(): Promise<readonly RunSummary[]>;
  /** The whole id of the run meant; rejects with a RunNotFoundError. */
  resolve(reference: string): Promise<string>;
  read(run: string): Promise<readonly JournalEntry[]>;
  describeChanges(run: string): Promise<readonly FileChange[]>;
}
