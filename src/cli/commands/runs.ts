import type { JournalEntry } from '../../runs/journal.ts';
import type { RunsDocument } from '../documents.ts';
import { exitCodes } from '../exit-codes.ts';
import { type CommonOptions, type Invocation, withHost } from '../invocation.ts';

export async function runRuns(
  reference: string | undefined,
  options: CommonOptions,
  invocation: Invocation,
): Promise<number> {
  const engine = await invocation.loadEngine();
  return withHost(options, false, invocation, async (host) => {
    const runs = engine.openRuns(invocation.surroundings);
    const { directory } = runs;
    const summaries = await runs.list();
    if (reference === undefined) {
      host.present({ format: 'rekindle.runs/v1', directory, runs: [...summaries], detail: null });
      return exitCodes.well;
    }
    const id = await runs.resolve(reference);
    const [entries, changes] = await Promise.all([runs.read(id), runs.describeChanges(id)]);
    host.present({
      format: 'rekindle.runs/v1',
      directory,
      runs: summaries.filter((summary) => summary.id === id),
      detail: { ...readJournal(entries), changes: [...changes] },
    });
    return exitCodes.well;
  });
}

type Detail = Omit<NonNullable<RunsDocument['detail']>, 'changes'>;

function readJournal(entries: readonly JournalEntry[]): Detail {
  const titles = new Map<string, string>();
  const steps = new Map<string, Detail['steps'][number]>();
  const snapshots: Detail['snapshots'] = [];
  let millisecondsToReady: number | null = null;
  const note = (round: number, step: string, result: Detail['steps'][number]['result'], text: string): void => {
    const key = `${round}/${step}`;
    steps.set(key, { round, step, title: titles.get(key) ?? `step ${step}`, result, note: text });
  };
  for (const entry of entries) {
    switch (entry.type) {
      case 'planned':
        for (const { id, title } of entry.plan.steps) titles.set(`${entry.round}/${id}`, title);
        break;
      case 'snapshot':
        snapshots.push({ node: entry.node, file: entry.file, bytes: entry.bytes });
        break;
      case 'step-started':
        note(entry.round, entry.step, 'started', '');
        break;
      case 'step-done':
        note(entry.round, entry.step, 'done', entry.note);
        break;
      case 'step-failed':
        note(entry.round, entry.step, 'failed', entry.reason);
        break;
      case 'step-skipped':
        note(entry.round, entry.step, 'skipped', entry.reason);
        break;
      case 'run-ended':
        millisecondsToReady = entry.millisecondsToReady;
        break;
      default:
        break;
    }
  }
  return { steps: [...steps.values()], snapshots, millisecondsToReady };
}
