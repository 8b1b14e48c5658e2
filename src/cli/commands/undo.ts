import { type CommonOptions, type EngineOptions, type Invocation, openWorld, withHost } from '../invocation.ts';
import { exitCodeOfHeal } from '../exit-codes.ts';
import { confirmWith } from './confirm.ts';
import { makeHealDocument } from './heal.ts';
import { requireEngine } from './require-engine.ts';

export interface UndoCommandOptions extends CommonOptions, EngineOptions {
  readonly dryRun?: true | undefined;
  readonly yes?: true | undefined;
}

export async function runUndo(reference: string, options: UndoCommandOptions, invocation: Invocation): Promise<number> {
  const { signal, surroundings } = invocation;
  const dryRun = options.dryRun === true;
  const engine = await invocation.loadEngine();
  return withHost(options, !dryRun, invocation, async (host) => {
    const run = await engine.openRuns(surroundings).resolve(reference);
    const world = await openWorld(engine, options, invocation);
    requireEngine(engine, world);
    const asking = confirmWith(host, options.yes === true);
    const outcome = await engine.undoRun(world, run, { dryRun, host: asking, signal });
    const document = makeHealDocument('undo', outcome, run, dryRun, asking.wasUnanswered());
    host.present(document);
    return exitCodeOfHeal(document.verdict);
  });
}
