import type { Plan, PlannedStep, Step } from '../repairs/step.ts';
import type { JournalEntry } from './journal.ts';
import { describeFile, type FileRestore, planRestore } from './undo.ts';

/** The `backup` of a `restore-file` step for a file that the run created: restoring it means to remove it. */
export const absentBackup = 'absent';

/**
 * Undo as a plan, so that it is shown, confirmed and journalled like any other. On each node one thing follows the
 * other: files, the latest change first, then what reads them is restarted; nodes do not wait for one another.
 * Before a `restore-file` acts, its `expected` hashes from `planRestore` are to be compared with the file.
 */
export function buildUndoPlan(entries: readonly JournalEntry[], run: string): Plan {
  const restore = planRestore(entries);
  const steps: PlannedStep[] = [];
  const previous = new Map<string | null, string>();

  function add(chain: string | null, made: Pick<PlannedStep, 'step' | 'title' | 'reasons' | 'risk'>): void {
    const id = String(steps.length + 1);
    const before = previous.get(chain);
    steps.push({ id, ...made, mends: [], needs: before === undefined ? [] : [before] });
    previous.set(chain, id);
  }

  for (const file of restore.files) {
    const step: Step = {
      kind: 'restore-file',
      node: file.node,
      path: file.path,
      run,
      backup: file.backup ?? absentBackup,
    };
    const title = file.backup === null ? `remove ${describeFile(file)}` : `put back ${describeFile(file)}`;
    add(file.node, { step, title, reasons: giveReasons(file, run), risk: 'safe' });
  }
  for (const { step, planned } of restore.restarts) {
    const title =
      step.kind === 'restart-unit'
        ? `restart ${step.unit} on ${step.node}`
        : `restart ${step.component} on ${step.node}`;
    const reasons = [`it has to read the files that were put back; run ${run} restarted it, too`];
    add(step.node, { step, title, reasons, risk: planned.risk });
  }
  for (const { step } of restore.policies) {
    const title = `set the restart policy of ${step.container} back to ${step.policy.name || 'no'}`;
    // A key of its own: a restart policy depends on no file, and no file on it.
    add(`policy ${step.container}`, {
      step,
      title,
      reasons: [`run ${run} set it to ${step.previous.name}`],
      risk: 'safe',
    });
  }
  // What stays is told where a plan tells of findings that it leaves.
  const unserved = restore.lasting.map(({ what, reason }) => ({ id: 'undo/stays', subject: what, reason, byHand: [] }));
  return { steps, unserved };
}

function giveReasons(file: FileRestore, run: string): string[] {
  const verb = file.backup === null ? 'created' : 'changed';
  const titles = file.changedBy.map((step) => step.title);
  return [
    `run ${run} ${verb} it${titles.length > 0 ? `: ${titles.join('; ')}` : ''}`,
    ...(file.mayDiffer ? ['a step on it was cut short, so what is in it now is not known for sure'] : []),
    ...(file.changedInBetween
      ? ['something else changed it while the run was under way; that change is taken back, too, and kept in the undo']
      : []),
  ];
}
