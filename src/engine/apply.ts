import type { Plan, PlannedStep } from '../repairs/step.ts';
import { messageOf } from './gather/containers.ts';
import type { HealOutcome, Host } from './messages.ts';
import { executeStep } from './steps/index.ts';
import { PreconditionError, type StepContext } from './steps/step-context.ts';

export type AppliedStep = HealOutcome['applied'][number];

/** What the steps of one plan share; each gets its own id and way to tell its progress. */
export type ApplyContext = Omit<StepContext, 'id' | 'progress'> & { readonly host: Host };

type Settled = 'done' | 'failed' | 'skipped';

/**
 * Applies a plan's steps, each as soon as what it needs is done. A step that failed skips those that need it; the rest
 * goes on. Each is in the journal, flushed, before and after it acts. Rejects on abort, once no step is under way.
 */
export async function applyPlan(plan: Plan, context: ApplyContext): Promise<AppliedStep[]> {
  const settled = new Map<string, Promise<Settled>>();
  const applied = new Map<string, AppliedStep>();
  // Plans list a step after all it needs, so the promises of those are there already.
  for (const planned of plan.steps) settled.set(planned.id, settle(planned));
  const results = await Promise.allSettled(settled.values());
  context.signal.throwIfAborted();
  const defect = results.find((result) => result.status === 'rejected');
  if (defect !== undefined) throw defect.reason;
  return plan.steps.flatMap(({ id }) => applied.get(id) ?? []);

  async function settle(planned: PlannedStep): Promise<Settled> {
    const needs = await Promise.all(planned.needs.map(async (id) => ({ id, result: await settled.get(id) })));
    context.signal.throwIfAborted();
    const missing = needs.find(({ result }) => result !== 'done');
    if (missing !== undefined) return await skip(planned, `step ${missing.id} was not applied`);
    return await act(planned);
  }

  async function act(planned: PlannedStep): Promise<Settled> {
    const { id: step, title } = planned;
    const { run, round, host } = context;
    const { clock } = context.world.surroundings;
    await run.record({ type: 'step-started', round, step });
    host.tell({ code: 'step-started', step, title });
    const start = clock.monotonic();
    try {
      const note = await executeStep(planned.step, {
        ...context,
        id: step,
        progress: reportChanges((text) => host.tell({ code: 'step-progress', step, text })),
      });
      await run.record({ type: 'step-done', round, step, note });
      host.tell({ code: 'step-done', step, title, note, milliseconds: clock.monotonic() - start });
      applied.set(step, { title, result: 'done', note });
      return 'done';
    } catch (error) {
      context.signal.throwIfAborted();
      const reason = messageOf(error);
      if (error instanceof PreconditionError) return await skip(planned, reason);
      await run.record({ type: 'step-failed', round, step, reason });
      host.tell({ code: 'step-failed', step, title, reason });
      applied.set(step, { title, result: 'failed', note: reason });
      return 'failed';
    }
  }

  async function skip({ id: step, title }: PlannedStep, reason: string): Promise<Settled> {
    await context.run.record({ type: 'step-skipped', round: context.round, step, reason });
    context.host.tell({ code: 'step-skipped', step, title, reason });
    applied.set(step, { title, result: 'skipped', note: reason });
    return 'skipped';
  }
}

/** Waits tell where they stand each time they look; a host is told when that is news. */
function reportChanges(report: (text: string) => void): (text: string) => void {
  let last = '';
  return (text) => {
    if (text !== last) report(text);
    last = text;
  };
}
