import { type Engine, EngineError } from '../docker/port.ts';
import type { FindingRef, Plan } from '../repairs/step.ts';
import type { Run, RunStore } from '../runs/journal.ts';
import { type AppliedStep, applyPlan } from './apply.ts';
import type { Diagnosis } from './diagnosis.ts';
import { look, type Looked } from './look.ts';
import type { HealOutcome, Host, Question } from './messages.ts';
import { makePlan, type PlanOptions } from './plan.ts';
import { takeEtcdSnapshot } from './snapshot.ts';
import { lockCluster, openRuns } from './state.ts';
import { limitTime } from './time-limit.ts';
import type { World } from './world.ts';

export interface HealOptions {
  readonly dryRun: boolean;
  /** Finding ids to serve; all where empty. */
  readonly only: readonly string[];
  readonly maxRisk: 'safe' | 'disruptive';
  readonly timeoutMs: number;
  readonly host: Host;
  readonly signal: AbortSignal;
}

/** Rounds end by themselves once nothing is left to try; this guards against a cluster that changes under our hands. */
const maxRounds = 8;
/** A repair that did not help twice will not help. */
const maxAttempts = 2;
/** An answer that took longer is about a cluster that may have changed. Milliseconds. */
const staleAnswerMs = 10_000;

/**
 * Gather, check, plan, ask, apply; then look again, until the cluster is healthy or nothing is left to try. Rejects
 * with a LockedError where another run is under way on the cluster.
 */
export async function healCluster(world: World, cluster: string, options: HealOptions): Promise<HealOutcome> {
  const { surroundings } = world;
  if (options.dryRun || !world.engine.ok) return await preview(world, cluster, options);
  const { engine } = world.engine;
  const info = await world.engine.info;
  const lock = await lockCluster(cluster, info.id, 'heal', surroundings);
  try {
    return await healLocked(world, engine, info.id, cluster, openRuns(surroundings), options);
  } finally {
    await lock.release();
  }
}

async function preview(world: World, cluster: string, { host, signal, ...options }: HealOptions): Promise<HealOutcome> {
  const { facts, diagnosis } = await look(world, cluster, host, signal, 1);
  const plan = makePlan(facts, diagnosis, { ...options, exhausted: () => false });
  if (world.engine.ok) host.tell({ code: 'planned', cluster, plan, round: 1, dryRun: true });
  const verdict = isWell(diagnosis) ? 'healthy' : diagnosis.verdict === 'unknown' ? 'unknown' : 'planned';
  return { verdict, cluster, run: null, diagnosis, plans: [plan], applied: [], millisecondsToReady: null };
}

async function healLocked(
  world: World,
  engine: Engine,
  engineId: string,
  cluster: string,
  store: RunStore,
  options: HealOptions,
): Promise<HealOutcome> {
  const { host } = options;
  const { clock } = world.surroundings;
  const deadline = limitTime(clock, options.timeoutMs, options.signal);
  const { signal } = deadline;
  const attempts = new Map<string, number>();
  const plans: Plan[] = [];
  const applied: AppliedStep[] = [];
  const kubeletRestarts = new Map<string, number>();
  let run: Run | undefined;
  let confirmedAt: number | undefined;
  let confirmed: Plan | undefined;
  let isSnapshotKept = false;
  let latest: Looked | undefined;
  try {
    latest = await look(world, cluster, host, signal, 1);
    for (let round = 1; ; round++) {
      const { facts, diagnosis, access } = latest;
      if (isWell(diagnosis) && diagnosis.findings.length === 0)
        return await end(diagnosis, run === undefined ? 'healthy' : 'healed');
      const plan = makePlan(facts, diagnosis, planOptions(options, attempts));
      plans.push(plan);
      host.tell({ code: 'planned', cluster, plan, round, dryRun: false });
      if (plan.steps.length === 0 || round > maxRounds)
        return await end(diagnosis, verdictOf(diagnosis, run !== undefined));
      if (confirmed === undefined || needsAnotherAnswer(plan, confirmed, run !== undefined)) {
        const asked = clock.monotonic();
        const answer = await host.ask(questionFor(plan, cluster), signal);
        if (answer !== 'yes') return await end(diagnosis, 'declined');
        confirmed = plan;
        confirmedAt ??= clock.monotonic();
        if (clock.monotonic() - asked > staleAnswerMs) {
          // The cluster went on while the question stood there.
          latest = await look(world, cluster, host, signal, round);
          continue;
        }
      }
      if (run === undefined) {
        run = await store.begin({
          command: 'heal',
          cluster,
          engineId,
          version: world.surroundings.version,
          undoes: null,
        });
        host.tell({ code: 'run-started', cluster, run: run.id, directory: run.directory });
      }
      await run.record({ type: 'planned', round, plan });
      if (!isSnapshotKept) {
        const snapshot = await keepSnapshot(engine, latest, run, plan, host, signal);
        if (snapshot === 'forbids') return await end(diagnosis, verdictOf(diagnosis, true));
        isSnapshotKept = snapshot === 'kept';
      }
      for (const { mends } of plan.steps) for (const finding of mends) countAttempt(attempts, finding, round);
      applied.push(
        ...(await applyPlan(plan, {
          world,
          engine,
          cluster,
          access,
          facts,
          run,
          store,
          round,
          signal,
          kubeletRestarts,
          host,
        })),
      );
      latest = await look(world, cluster, host, signal, round + 1);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    if (!options.signal.aborted) host.tell({ code: 'time-over', cluster, milliseconds: options.timeoutMs });
    if (latest === undefined)
      throw new EngineError('timeout', `${cluster} could not be looked at in time`, { cause: error });
    // Steps are journaled, so a later run continues from here; what is known stands in the last look.
    return await end(latest.diagnosis, options.signal.aborted ? 'interrupted' : 'remaining');
  } finally {
    deadline.clear();
    await run?.close();
  }

  async function end(diagnosis: Diagnosis, verdict: HealOutcome['verdict']): Promise<HealOutcome> {
    const result = outcome(diagnosis, verdict);
    if (run !== undefined) {
      await run.record({ type: 'run-ended', verdict, millisecondsToReady: result.millisecondsToReady });
      host.tell({ code: 'run-ended', cluster, run: run.id, outcome: result });
    }
    return result;
  }

  function outcome(diagnosis: Diagnosis, verdict: HealOutcome['verdict']): HealOutcome {
    const millisecondsToReady =
      verdict === 'healed' && confirmedAt !== undefined ? Math.round(clock.monotonic() - confirmedAt) : null;
    return { verdict, cluster, run: run?.id ?? null, diagnosis, plans, applied, millisecondsToReady };
  }
}

/** A plan that touches no node needs no copy of etcd. */
async function keepSnapshot(
  engine: Engine,
  { facts, access }: Looked,
  run: Run,
  plan: Plan,
  host: Host,
  signal: AbortSignal,
): Promise<'kept' | 'none' | 'forbids'> {
  if (plan.steps.every(({ step }) => step.kind === 'merge-kubeconfig' || step.kind === 'set-restart-policy'))
    return 'none';
  const result = await takeEtcdSnapshot(engine, facts, access, plan, run, signal);
  if (result.taken) host.tell({ code: 'snapshot-taken', node: result.node, path: result.path, bytes: result.bytes });
  else host.tell({ code: 'snapshot-skipped', reason: result.reason });
  if (result.taken) return 'kept';
  return result.forbids ? 'forbids' : 'none';
}

function questionFor(plan: Plan, cluster: string): Question {
  const count = plan.steps.length === 1 ? 'this step' : `these ${plan.steps.length} steps`;
  return { code: 'apply-plan', text: `Apply ${count} to ${cluster}?`, defaultAnswer: true };
}

/** One answer covers the rounds that follow from it, unless they become riskier, and the very plan that was shown before the first. */
function needsAnotherAnswer(plan: Plan, confirmed: Plan, isUnderWay: boolean): boolean {
  if (!isUnderWay) return JSON.stringify(plan.steps) !== JSON.stringify(confirmed.steps);
  const isDisruptive = ({ steps }: Plan) => steps.some(({ risk }) => risk !== 'safe');
  return isDisruptive(plan) && !isDisruptive(confirmed);
}

function planOptions({ only, maxRisk }: HealOptions, attempts: ReadonlyMap<string, number>): PlanOptions {
  return { only, maxRisk, exhausted: (finding) => (attempts.get(keyOf(finding)) ?? 0) >= maxAttempts };
}

/** Once per round, however many steps serve the finding. */
function countAttempt(attempts: Map<string, number>, finding: FindingRef, round: number): void {
  const key = keyOf(finding);
  const seenIn = `${key} in round ${round}`;
  if (attempts.has(seenIn)) return;
  attempts.set(seenIn, 1);
  attempts.set(key, (attempts.get(key) ?? 0) + 1);
}

function keyOf({ id, subject }: FindingRef): string {
  return `${id} ${subject}`;
}

function isWell({ verdict }: Diagnosis): boolean {
  return verdict === 'healthy' || verdict === 'degraded';
}

function verdictOf(diagnosis: Diagnosis, isRun: boolean): HealOutcome['verdict'] {
  if (isWell(diagnosis)) return isRun ? 'healed' : 'healthy';
  return diagnosis.verdict === 'unknown' ? 'unknown' : 'remaining';
}
