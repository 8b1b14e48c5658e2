import type { PlannedStep, StepOf } from '../repairs/step.ts';
import type { JournalEntry } from './journal.ts';

/** One file that undo brings back to what it was before the run's first change. */
export interface FileRestore {
  /** Null for a file of this host. */
  readonly node: string | null;
  readonly path: string;
  /** Name of the backup in the run's folder; null where there was no file, so that undo removes it. */
  readonly backup: string | null;
  readonly sha256: string | null;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /**
   * SHA-256 of what undo may find in the file, null for no file: what the run last wrote, what was there before a step
   * that was cut short, and the original, which is restored already. Anything else is somebody else's change since.
   */
  readonly expected: readonly (string | null)[];
  /** A step was cut short, or failed, before it told what it wrote: the run itself may have left other bytes. */
  readonly mayDiffer: boolean;
  /** Somebody else changed the file between two steps of the run; undo takes that change back, too. */
  readonly changedInBetween: boolean;
  /** The run's steps that changed it. */
  readonly changedBy: readonly PlannedStep[];
}

interface Restart {
  readonly step: StepOf<'restart-unit'> | StepOf<'restart-component'>;
  readonly planned: PlannedStep;
}

interface PolicyRestore {
  /** Back from the last policy set to the one before the first. */
  readonly step: StepOf<'set-restart-policy'>;
  readonly planned: PlannedStep;
}

export interface Restore {
  /** In the reverse order of the first changes. */
  readonly files: readonly FileRestore[];
  /** What the run restarted on nodes whose files are restored, in the run's order. */
  readonly restarts: readonly Restart[];
  readonly policies: readonly PolicyRestore[];
  /** What undo leaves as it is, and why. */
  readonly lasting: readonly { readonly what: string; readonly reason: string }[];
}

/** `cut`: started, and neither done nor failed when the journal ends. */
type Outcome = 'cut' | 'done' | 'failed' | 'skipped';

interface Change {
  readonly key: string;
  readonly before: Extract<JournalEntry, { type: 'backup' }>;
  readonly after: (string | null)[];
}

/**
 * What undoing a run takes, from its journal alone. A step that started and never ended counts as maybe applied. A
 * run that was cut short anywhere can be undone, and so can an undo that was.
 */
export function planRestore(entries: readonly JournalEntry[]): Restore {
  const planned = new Map<string, PlannedStep>();
  const outcomes = new Map<string, Outcome>();
  const changes = new Map<string, Change[]>();
  const lasting: { what: string; reason: string }[] = [];

  for (const entry of entries) {
    switch (entry.type) {
      case 'planned':
        for (const step of entry.plan.steps) planned.set(nameStep(entry.round, step.id), step);
        break;
      case 'step-started':
        outcomes.set(nameStep(entry.round, entry.step), 'cut');
        break;
      case 'step-done':
        outcomes.set(nameStep(entry.round, entry.step), 'done');
        break;
      case 'step-failed':
        outcomes.set(nameStep(entry.round, entry.step), 'failed');
        break;
      case 'step-skipped':
        outcomes.set(nameStep(entry.round, entry.step), 'skipped');
        break;
      case 'backup': {
        const file = nameFile(entry);
        const known = changes.get(file) ?? [];
        changes.set(file, [...known, { key: nameStep(entry.round, entry.step), before: entry, after: [] }]);
        break;
      }
      case 'wrote': {
        const key = nameStep(entry.round, entry.step);
        const change = changes.get(nameFile(entry))?.findLast((each) => each.key === key);
        if (change !== undefined) change.after.push(entry.sha256);
        else
          lasting.push({
            what: `what was written to ${describeFile(entry)}`,
            reason: 'the journal holds no backup of it',
          });
        break;
      }
      case 'run-started':
      case 'snapshot':
      case 'run-ended':
        break;
    }
  }

  const files = [...changes.values()]
    .map((each) => planFile(each, outcomes, planned))
    .filter((file) => file !== null)
    .toReversed();
  const touched = [...outcomes].flatMap(([key, outcome]) => {
    const step = planned.get(key);
    return step === undefined || outcome === 'skipped' ? [] : [{ planned: step, outcome }];
  });
  return {
    files,
    restarts: listRestarts(touched, new Set(files.map((file) => file.node))),
    policies: listPolicies(touched),
    lasting: [...lasting, ...touched.flatMap(({ planned: step, outcome }) => tellLasting(step, outcome))],
  };
}

/** Null where the run left the file as it found it. */
function planFile(
  changes: readonly Change[],
  outcomes: ReadonlyMap<string, Outcome>,
  planned: ReadonlyMap<string, PlannedStep>,
): FileRestore | null {
  const [first] = changes;
  if (first === undefined) return null;
  const original = first.before;
  const changedBy: PlannedStep[] = [];
  let expected = [original.sha256];
  let mayDiffer = false;
  let touched = false;
  let changedInBetween = false;
  for (const { key, before, after } of changes) {
    if (!expected.includes(before.sha256) && !mayDiffer) changedInBetween = true;
    const outcome = outcomes.get(key) ?? 'cut';
    const last = after.at(-1);
    const done = outcome === 'done';
    // A step that is done and wrote nothing found the file as it should be.
    expected = done ? [last === undefined ? before.sha256 : last] : [before.sha256, ...after];
    mayDiffer = !done && outcome !== 'skipped' && after.length === 0;
    if (!mayDiffer && after.every((hash) => hash === before.sha256)) continue;
    touched = true;
    const step = planned.get(key);
    if (step !== undefined) changedBy.push(step);
  }
  if (!touched) return null;
  return {
    node: original.node,
    path: original.path,
    backup: original.backup,
    sha256: original.sha256,
    mode: original.mode,
    uid: original.uid,
    gid: original.gid,
    expected: [...new Set([...expected, original.sha256])],
    mayDiffer,
    changedInBetween,
    changedBy,
  };
}

interface Touched {
  readonly planned: PlannedStep;
  readonly outcome: Outcome;
}

/** Restarts that were cut short or failed are among them: whether they took place is not known, and one more is cheap. */
function listRestarts(touched: readonly Touched[], nodes: ReadonlySet<string | null>): Restart[] {
  const restarts = new Map<string, Restart>();
  for (const { planned } of touched) {
    const { step } = planned;
    if (step.kind !== 'restart-unit' && step.kind !== 'restart-component') continue;
    const name = step.kind === 'restart-unit' ? step.unit : step.component;
    if (nodes.has(step.node)) restarts.set(JSON.stringify([step.kind, step.node, name]), { step, planned });
  }
  return [...restarts.values()];
}

function listPolicies(touched: readonly Touched[]): PolicyRestore[] {
  const policies = new Map<string, PolicyRestore>();
  for (const { planned } of touched) {
    const { step } = planned;
    if (step.kind !== 'set-restart-policy') continue;
    const policy = policies.get(step.container)?.step.policy ?? step.previous;
    policies.set(step.container, { step: { ...step, policy, previous: step.policy }, planned });
  }
  return [...policies.values()]
    .filter(({ step }) => JSON.stringify(step.policy) !== JSON.stringify(step.previous))
    .toReversed();
}

function tellLasting({ step }: PlannedStep, outcome: Outcome): { what: string; reason: string }[] {
  if (step.kind !== 'start-container' || outcome === 'failed') return [];
  return [
    {
      what: `the container ${step.container} stays started`,
      reason: 'stopping it would end what runs in it; `docker stop` does that by hand',
    },
  ];
}

function nameStep(round: number, step: string): string {
  return JSON.stringify([round, step]);
}

function nameFile(file: { readonly node: string | null; readonly path: string }): string {
  return JSON.stringify([file.node, file.path]);
}

/** `/etc/kubernetes/kubelet.conf on idp-mvp-control-plane`. */
export function describeFile(file: { readonly node: string | null; readonly path: string }): string {
  return `${file.path} on ${file.node ?? 'this host'}`;
}
