import type { CommandResult } from '../../scenarios/laboratory.ts';
import type { SimStage } from '../laboratory/stage.ts';
import { isSame, type KeptFile, type KeptFiles, recordFiles } from './belongings.ts';
import { type KeptRun, readRuns } from './state.ts';
import { type HealDocument, readHeal } from './visits.ts';
import { hash } from '../../../src/runs/names.ts';

/** The files before a heal, and since when each container had been running. */
export interface Before {
  readonly files: KeptFiles;
  readonly startedAt: ReadonlyMap<string, number | undefined>;
}

export function keepBefore(stage: SimStage): Before {
  return { files: recordFiles(stage), startedAt: listStarts(stage) };
}

/** Undoes the run, and tells which files are not as they were before it, byte for byte, with mode and owner. */
export async function judgeUndo(
  stage: SimStage,
  healed: HealDocument,
  before: Before | undefined,
  undo: (run: string) => Promise<CommandResult>,
): Promise<string[]> {
  const run = readRuns(stage).find(({ id }) => id === healed.run);
  if (run === undefined) return [`the run ${healed.run} is not among those kept`];
  const { complaints, document } = readHeal(await undo(run.id), false);
  if (document === undefined) return [...complaints, `undo of ${run.id} gave no document`];
  return [...complaints, ...complainOfVerdict(document), ...compareWithJournal(stage, run), ...compareWithBefore()];

  /** A container that was started meanwhile has booted, and its boot wrote files as well. */
  function compareWithBefore(): string[] {
    if (before === undefined) return [];
    const now = recordFiles(stage);
    const starts = listStarts(stage);
    const names = new Set([...before.files.keys(), ...now.keys()]);
    return (
      [...names]
        .filter((name) => {
          const node = name.startsWith('/') ? undefined : name.slice(0, name.indexOf(':'));
          return node === undefined || before.startedAt.get(node) === starts.get(node);
        })
        // What an earlier rekindle left half-written is nobody's file.
        .filter((name) => !name.includes('/.rekindle-') && !isSame(before.files.get(name), now.get(name)))
        .map((name) => `after the undo ${name} is ${tellDifference(before.files.get(name), now.get(name))}`)
    );
  }
}

/** What a run that was killed had changed has to be back, as far as its journal tells of it. */
export function judgeUndoOfKilled(stage: SimStage, run: KeptRun, document: HealDocument | undefined): string[] {
  if (document === undefined) return [];
  return [...complainOfVerdict(document), ...compareWithJournal(stage, run)];
}

function complainOfVerdict({ verdict, applied }: HealDocument): string[] {
  if (verdict === 'healed' || verdict === 'healthy') return [];
  const failed = applied.filter(({ result }) => result !== 'done').map(({ title, note }) => `${title}: ${note}`);
  return [`undo says ${verdict}, although nobody else has changed anything: ${failed.join('; ')}`];
}

/** The journal holds of each file what it was before the run's first change. */
function compareWithJournal(stage: SimStage, { entries }: KeptRun): string[] {
  const now = recordFiles(stage);
  const seen = new Set<string>();
  return entries.flatMap((entry) => {
    if (entry.type !== 'backup') return [];
    const name = entry.node === null ? entry.path : `${entry.node}:${entry.path}`;
    if (seen.has(name)) return [];
    seen.add(name);
    const file = now.get(name);
    if (entry.sha256 === null) return file === undefined ? [] : [`undo left ${name}, which was not there before`];
    if (file === undefined) return [`undo did not bring back ${name}`];
    const isBack =
      hash(file.contents) === entry.sha256 &&
      file.mode === entry.mode &&
      file.uid === entry.uid &&
      file.gid === entry.gid;
    return isBack ? [] : [`undo did not put ${name} back as its journal holds it`];
  });
}

function listStarts({ world }: SimStage): Map<string, number | undefined> {
  return new Map(world.docker.containers().map(({ name, startedAt }) => [name, startedAt]));
}

function tellDifference(before: KeptFile | undefined, now: KeptFile | undefined): string {
  if (before === undefined) return 'new';
  if (now === undefined) return 'gone';
  if (!before.contents.equals(now.contents)) return 'of other bytes';
  return `${now.mode.toString(8)} ${now.uid}:${now.gid}, and was ${before.mode.toString(8)} ${before.uid}:${before.gid}`;
}
