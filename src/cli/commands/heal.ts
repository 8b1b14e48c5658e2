import type { HealOutcome } from '../../engine/messages.ts';
import { type ClusterOptions, pickCluster, readWantedCluster } from '../cluster.ts';
import type { HealDocument } from '../documents.ts';
import { UsageError } from '../errors.ts';
import { exitCodeOfHeal, type HealVerdict } from '../exit-codes.ts';
import { type CommonOptions, type EngineOptions, type Invocation, openWorld, withHost } from '../invocation.ts';
import { findNearest } from '../text/nearest.ts';
import { list } from '../text/words.ts';
import { confirmWith } from './confirm.ts';
import { requireEngine } from './require-engine.ts';

export interface HealCommandOptions extends CommonOptions, EngineOptions, ClusterOptions {
  readonly dryRun?: true | undefined;
  readonly yes?: true | undefined;
  readonly only: readonly string[];
  readonly maxRisk: 'safe' | 'disruptive';
  /** Milliseconds. */
  readonly timeout: number;
}

export async function runHeal(options: HealCommandOptions, invocation: Invocation): Promise<number> {
  const { signal, surroundings } = invocation;
  const dryRun = options.dryRun === true;
  const wanted = readWantedCluster(options, surroundings.environment);
  const engine = await invocation.loadEngine();
  for (const id of options.only) requireFindingId('--only', id, engine.allFindingIds());
  return withHost(options, !dryRun, invocation, async (host) => {
    const world = await openWorld(engine, options, invocation);
    requireEngine(engine, world);
    const clusters = await engine.listClusters(world);
    const cluster = await pickCluster(wanted, clusters, options, engine, surroundings);
    const asking = confirmWith(host, options.yes === true);
    const outcome = await engine.healCluster(world, cluster, {
      dryRun,
      only: options.only,
      maxRisk: options.maxRisk,
      timeoutMs: options.timeout,
      host: asking,
      signal,
    });
    const document = makeHealDocument('heal', outcome, null, dryRun, asking.wasUnanswered());
    host.present(document);
    return exitCodeOfHeal(document.verdict);
  });
}

export function makeHealDocument(
  command: 'heal' | 'undo',
  outcome: HealOutcome,
  undoes: string | null,
  dryRun: boolean,
  unanswered: boolean,
): HealDocument {
  const verdict: HealVerdict = outcome.verdict === 'declined' && unanswered ? 'unconfirmed' : outcome.verdict;
  return {
    format: 'rekindle.heal/v1',
    command,
    cluster: outcome.cluster,
    verdict,
    dryRun,
    run: outcome.run,
    undoes,
    diagnosis: outcome.diagnosis,
    plans: [...outcome.plans],
    applied: [...outcome.applied],
    millisecondsToReady: outcome.millisecondsToReady,
  };
}

/** Throws a UsageError with the ids that may have been meant. */
export function requireFindingId(where: string, id: string, known: readonly string[]): void {
  if (known.includes(id)) return;
  const nearest = findNearest(id, known);
  throw new UsageError(
    `${where}: there is no finding "${id}"`,
    nearest.length > 0 ? `did you mean ${list(nearest).replace(/ and /, ' or ')}?` : `the ids are ${list(known)}`,
  );
}
