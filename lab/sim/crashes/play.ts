import type { CommandResult } from '../../scenarios/laboratory.ts';
import type { SimStage } from '../laboratory/stage.ts';
import { findLosses, recordBelongings } from './belongings.ts';
import { findCrashFault } from './faults/index.ts';
import type { CrashPlan, PlannedFault } from './plan.ts';
import type { CrashReport } from './report.ts';
import { complainOfState, findLeftovers, freezeHome, readRuns } from './state.ts';
import { type Before, judgeUndo, judgeUndoOfKilled, keepBefore } from './undo.ts';
import { type HealDocument, readDoctor, readHeal } from './visits.ts';
import { findIlls } from './wellness.ts';

type Played = Pick<CrashReport, 'complaints' | 'notes' | 'story' | 'heals' | 'ending' | 'findings'>;

const mostHeals = 3;
/** heal gives up after 5 minutes; a step that is under way then may take a little longer. Milliseconds. */
const longestHealMs = 6 * 60_000;
/** For how long a cluster that counts as healthy has to go on living before that is believed. */
const provingMs = 60_000;
const betweenHealsMs = 20_000;

/** Breaks the cluster as planned, heals it, and judges everything that can be seen. Resolves with all complaints. */
export async function playCrash(plan: CrashPlan, stage: SimStage): Promise<Played> {
  const { world, visitor, cluster } = stage;
  const { clock } = cluster.lab;
  const complaints: string[] = [];
  const notes: string[] = [];
  const story: string[] = [];
  const begun = clock.now();
  const damaged = new Set<string>();
  const before = recordBelongings(stage);

  for (const fault of plan.faults) {
    await stageFault(fault);
    await clock.sleep(fault.thenSeconds * 1000);
  }
  let last: HealDocument | undefined;
  let beforeLast: Before | undefined;
  let heals = 0;
  if (plan.during !== undefined || plan.kill !== undefined) await healAmidTrouble();
  const first = await healUntilEnd();
  const healsUntilEnd = heals;
  await examineEnd(first);
  if (plan.undo && last?.run != null) await undoAndHealAgain(last, first);
  complaints.push(...findLosses(before, recordBelongings(stage), damaged));
  complaints.push(...complainOfState(stage));
  return {
    complaints: [...new Set(complaints)],
    notes,
    story,
    heals: healsUntilEnd,
    ending: first?.diagnosis.verdict ?? 'nothing',
    findings: (first?.diagnosis.findings ?? []).map(({ id }) => id),
  };

  function tell(line: string): void {
    story.push(`${((clock.now() - begun) / 1000).toFixed(1).padStart(6)} s  ${line}`);
  }

  function tellOf(document: HealDocument | undefined): void {
    if (document === undefined) return;
    for (const { title, result, note } of document.applied)
      tell(`  ${result}: ${title}${note === '' ? '' : ` (${note})`}`);
    const { findings, unknown } = document.diagnosis;
    for (const { summary, evidence } of findings) tell(`  left: ${summary} (${evidence.join('; ')})`);
    for (const { check, reason } of unknown) tell(`  unknown: ${check}: ${reason}`);
    for (const { id, subject, reason } of document.plans.at(-1)?.unserved ?? [])
      tell(`  not served: ${id} ${subject}: ${reason}`);
    tell(`  ${document.command} ends with ${document.verdict}`);
  }

  async function stageFault({ name, argument }: PlannedFault): Promise<void> {
    tell([name, argument].filter((word) => word !== undefined).join(' '));
    try {
      const damage = await findCrashFault(name).stage(stage, argument);
      for (const file of damage.files) damaged.add(file);
    } catch (error) {
      // A cluster that is broken in one way cannot be broken in every other.
      notes.push(`${name} could not be staged: ${firstLine(error)}`);
      for (const word of (argument ?? '').split(' ')) if (word.startsWith('/')) damaged.add(word);
    }
    if (!world.docker.isUp()) await world.docker.startEngine();
  }

  function heal(): Promise<CommandResult> {
    return visitor.rekindle(...healWords());
  }

  function healWords(): string[] {
    // What cannot be healed is waited for until the time is over; that is told after one minute as well as after five.
    const timeout = plan.profile === 'ha' ? '1m' : heals === 0 ? '5m' : '2m';
    return ['heal', '--name', cluster.name, '--yes', '-o', 'json', '--timeout', timeout];
  }

  /** One that takes too long is as good as one that hangs. */
  async function timed<T>(what: string, visit: Promise<T>): Promise<T> {
    const start = clock.now();
    tell(what);
    const result = await visit;
    const took = clock.now() - start;
    if (took > longestHealMs) complaints.push(`${what} took ${Math.round(took / 1000)} s`);
    return result;
  }

  async function healAmidTrouble(): Promise<void> {
    const words = healWords();
    const trouble = plan.during === undefined ? Promise.resolve() : startLater(plan.during);
    let thaw = () => {};
    const onDeath = () => {
      world.shutDoor();
      thaw = freezeHome(stage);
    };
    const result = await timed(
      'the heal amid trouble',
      plan.kill === undefined
        ? visitor.rekindle(...words)
        : visitor.rekindleUntil(plan.kill.afterEntries, onDeath, ...words),
    );
    heals += 1;
    if (result === 'killed') {
      thaw();
      await world.openDoor();
      notes.push('killed');
    } else {
      const visit = readHeal(result, plan.during !== undefined);
      complaints.push(...visit.complaints);
      if (visit.error !== undefined) tell(`  heal ends with an error: ${visit.error}`);
      tellOf(visit.document);
    }
    await trouble;
    await clock.sleep(plan.pauseSeconds * 1000);
    if (result === 'killed' && plan.kill?.next === 'undo') await undoKilled();
  }

  async function undoKilled(): Promise<void> {
    const run = readRuns(stage).at(-1);
    if (run === undefined) return;
    const undone = await timed('undo', visitor.rekindle('undo', run.id, '--yes', '-o', 'json'));
    const visit = readHeal(undone, false);
    complaints.push(...visit.complaints);
    tellOf(visit.document);
    // Boots write into the same files, and what somebody else changed is left alone.
    if (plan.during === undefined) complaints.push(...judgeUndoOfKilled(stage, run, visit.document));
  }

  function startLater({ name, argument, afterSeconds }: NonNullable<CrashPlan['during']>): Promise<void> {
    return new Promise((resolve, reject) => {
      world.clock.schedule(afterSeconds * 1000, () => {
        // Not waited for here: what is staged takes its time on the same clock.
        stageFault({ name, argument }).then(resolve, reject);
      });
    });
  }

  async function healUntilEnd(): Promise<HealDocument | undefined> {
    let document: HealDocument | undefined;
    let earlier: string | undefined;
    for (let turn = 1; turn <= mostHeals; turn++) {
      if (turn > 1) await clock.sleep(betweenHealsMs);
      const kept = plan.undo ? keepBefore(stage) : undefined;
      const visit = readHeal(await timed('heal', heal()), false);
      heals += 1;
      complaints.push(...visit.complaints);
      document = visit.document;
      tellOf(document);
      if (document?.run != null) {
        last = document;
        beforeLast = kept;
      }
      if (document?.verdict === 'healthy' || document?.verdict === 'healed') break;
      // What is left after two heals in the same words will not go away by a third.
      const left = JSON.stringify(document?.diagnosis.findings.map(({ id, subject }) => [id, subject]));
      if (turn > 1 && left === earlier) break;
      earlier = left;
    }
    return document;
  }

  /** heal's and doctor's word have to be one, and the world's own measure is above both. */
  async function examineEnd(healed: HealDocument | undefined): Promise<void> {
    const claimed = healed?.verdict === 'healthy' || healed?.verdict === 'healed';
    if (plan.doctor || !claimed) {
      const visit = readDoctor(await visitor.rekindle('doctor', '--name', cluster.name, '-o', 'json'));
      complaints.push(...visit.complaints);
      const isWell = visit.document?.verdict === 'healthy' || visit.document?.verdict === 'degraded';
      if (claimed && !isWell) {
        const left = visit.document?.findings.map(({ summary }) => summary).join('; ');
        complaints.push(`heal said ${healed.verdict}, and doctor then says ${visit.document?.verdict}: ${left}`);
      }
    }
    if (!claimed) {
      // etcd's members are not brought back together yet.
      if (damaged.size === 0 && plan.profile !== 'ha')
        complaints.push('no fault destroyed anything, and it is not well');
      return;
    }
    complaints.push(...findLeftovers(stage).map((path) => `${path} was left behind`));
    const since = clock.now();
    await clock.sleep(provingMs);
    complaints.push(...findIlls(stage, since).map((ill) => `healed, and ${provingMs / 1000} s later ${ill}`));
  }

  async function undoAndHealAgain(undone: HealDocument, earlier: HealDocument | undefined): Promise<void> {
    complaints.push(
      ...(await judgeUndo(stage, undone, beforeLast, (run) =>
        timed('undo', visitor.rekindle('undo', run, '--yes', '-o', 'json')),
      )),
    );
    const again = await healUntilEnd();
    const ended = (document: HealDocument | undefined) =>
      document?.verdict === 'healed' ? 'healthy' : document?.verdict;
    if (ended(again) === ended(earlier)) return;
    const left = again?.diagnosis.findings.map(({ summary }) => summary).join('; ');
    if (ended(earlier) === 'healthy')
      complaints.push(`after the undo heal ends with ${again?.verdict}, and before with ${earlier?.verdict}: ${left}`);
    else notes.push(`after the undo heal ends with ${again?.verdict}, and before with ${earlier?.verdict}`);
  }
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n').slice(0, 2).join(' ').slice(0, 200);
}
