import type { Facts } from '../../facts/facts.ts';
import type { ExplainDocument } from '../documents.ts';
import type { EngineApi } from '../engine-api.ts';
import { UsageError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { type CommonOptions, type Invocation, withHost } from '../invocation.ts';
import { requireFindingId } from './heal.ts';

export interface ExplainOptions extends CommonOptions {
  readonly from?: string | undefined;
}

export async function runExplain(
  id: string | undefined,
  options: ExplainOptions,
  invocation: Invocation,
): Promise<number> {
  const engine = await invocation.loadEngine();
  const facts = options.from === undefined ? null : await readRecorded(options.from, invocation);
  if (id === undefined) throw new UsageError('explain needs the id of a finding', suggestIds(engine, facts));
  const explanation = engine.explainFinding(id);
  if (explanation === undefined) requireFindingId('explain', id, engine.allFindingIds());
  return withHost(options, false, invocation, async (host) => {
    if (explanation === undefined) throw new Error(`the finding ${id} has no explanation`);
    const recorded = facts === null ? null : findRecorded(id, facts, engine);
    host.present({ format: 'rekindle.explain/v1', ...explanation, recorded });
    return exitCodes.well;
  });
}

async function readRecorded(path: string, { surroundings }: Invocation): Promise<Facts> {
  const { readFactsFile } = await import('./facts-file.ts');
  return await readFactsFile(path, surroundings.workingDirectory);
}

function suggestIds(engine: EngineApi, facts: Facts | null): string {
  const found = facts === null ? [] : engine.diagnoseFacts(facts).findings.map(({ id }) => id);
  return found.length === 0
    ? `one of ${engine.allFindingIds().join(', ')}`
    : `the recording shows ${[...new Set(found)].join(', ')}`;
}

function findRecorded(id: string, facts: Facts, engine: EngineApi): ExplainDocument['recorded'] {
  const diagnosis = engine.diagnoseFacts(facts);
  const plan = engine.planFor(facts, diagnosis, { only: [], maxRisk: 'disruptive' });
  const { cluster, gatheredAt } = facts;
  return {
    cluster,
    gatheredAt,
    findings: diagnosis.findings.filter((finding) => finding.id === id),
    steps: plan.steps.filter(({ mends }) => mends.some((finding) => finding.id === id)).map(({ title }) => title),
  };
}
