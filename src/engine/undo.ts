import type { JournalEntry, Run, StoredFile } from '../runs/journal.ts';
import { hash } from '../runs/names.ts';
import { planRestore } from '../runs/undo.ts';
import { buildUndoPlan } from '../runs/undo-plan.ts';
import { applyPlan } from './apply.ts';
import { diagnose } from './diagnose.ts';
import { type Gathered, gather } from './gather/gather.ts';
import type { HealOutcome, Host } from './messages.ts';
import { lockCluster, openRuns } from './state.ts';
import { readHostFile } from './steps/host-files.ts';
import type { World } from './world.ts';

export interface UndoOptions {
  readonly dryRun: boolean;
  readonly host: Host;
  readonly signal: AbortSignal;
}

/** The run is of another engine than the one found, or its engine cannot be reached. */
export class UndoError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UndoError';
  }
}

/**
 * Puts back what a run changed, byte for byte, with mode and owner, and restarts what reads it. It is a run of its own:
 * planned, confirmed, journaled, and undoable in turn. The verdict `healed` means: everything is back.
 */
export async function undoRun(world: World, runId: string, options: UndoOptions): Promise<HealOutcome> {
  const { host, signal } = options;
  const { surroundings } = world;
  const store = openRuns(surroundings);
  const entries = await store.read(runId);
  const start = entries.find(
    (entry): entry is Extract<JournalEntry, { type: 'run-started' }> => entry.type === 'run-started',
  );
  if (start === undefined)
    throw new UndoError(`the journal of run ${runId} has no beginning; nothing was changed by it`);
  if (!world.engine.ok) throw world.engine.error;
  const { engine } = world.engine;
  const info = await world.engine.info;
  const { cluster } = start;
  if (start.engineId !== '' && start.engineId !== info.id) {
    throw new UndoError(
      `run ${runId} changed cluster ${cluster} of another Docker engine (${start.engineId}) than ${engine.endpoint}; name that one with --docker-host`,
    );
  }
  const lock = await lockCluster(cluster, info.id, `undo ${runId}`, surroundings);
  let begun: Run | undefined;
  try {
    const plan = buildUndoPlan(entries, runId);
    const before = await gather(world, cluster, signal);
    host.tell({ code: 'planned', cluster, plan, round: 1, dryRun: options.dryRun });
    const outcome = (
      verdict: HealOutcome['verdict'],
      run: string | null,
      applied: HealOutcome['applied'],
      gathered: Gathered,
    ): HealOutcome => ({
      verdict,
      cluster,
      run,
      diagnosis: diagnose(gathered.facts),
      plans: [plan],
      applied,
      millisecondsToReady: null,
    });
    if (plan.steps.length === 0) return outcome('healthy', null, [], before);
    if (options.dryRun) return outcome('planned', null, [], before);
    const answer = await host.ask(
      { code: 'undo-run', text: `Put back what run ${runId} changed on ${cluster}?`, defaultAnswer: false },
      signal,
    );
    if (answer !== 'yes') return outcome('declined', null, [], before);
    const run = await store.begin({
      command: 'undo',
      cluster,
      engineId: info.id,
      version: surroundings.version,
      undoes: runId,
    });
    begun = run;
    host.tell({ code: 'run-started', cluster, run: run.id, directory: run.directory });
    await run.record({ type: 'planned', round: 1, plan });
    const applied = await applyPlan(plan, {
      world,
      engine,
      cluster,
      access: before.access,
      facts: before.facts,
      run,
      store,
      round: 1,
      signal,
      kubeletRestarts: new Map(),
      host,
    });
    const isBack = applied.every(({ result }) => result === 'done') && (await isRestored(entries, before));
    const result = outcome(isBack ? 'healed' : 'remaining', run.id, applied, await gather(world, cluster, signal));
    await run.record({
      type: 'run-ended',
      verdict: isBack ? 'restored' : 'partly restored',
      millisecondsToReady: null,
    });
    host.tell({ code: 'run-ended', cluster, run: run.id, outcome: result });
    return result;
  } finally {
    await begun?.close();
    await lock.release();
  }

  /** Applied is not restored: the files are read once more. */
  async function isRestored(journal: readonly JournalEntry[], { access }: Gathered): Promise<boolean> {
    for (const file of planRestore(journal).files) {
      const found = file.node === null ? await readHostFile(file.path) : await readFrom(access, file.node, file.path);
      if (found === 'unreadable') return false;
      if ((found === null ? null : hash(found.contents)) !== file.sha256) return false;
      if (found !== null && (found.mode !== file.mode || found.uid !== file.uid || found.gid !== file.gid))
        return false;
    }
    return true;
  }

  /** Null where there is no such file. */
  async function readFrom(
    access: Gathered['access'],
    node: string,
    path: string,
  ): Promise<StoredFile | null | 'unreadable'> {
    const answers = await access.nodes.get(node)?.perform([{ op: 'read', path }], { timeoutMs: 15_000, signal });
    const [result] = answers ?? [];
    if (result?.ok === true && result.op === 'read') return result.file;
    return result?.ok === false && result.why === 'missing' ? null : 'unreadable';
  }
}
