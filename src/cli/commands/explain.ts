import { UsageError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { type CommonOptions, type Invocation, withHost } from '../invocation.ts';
import { requireFindingId } from './heal.ts';

export async function runExplain(
  id: string | undefined,
  options: CommonOptions,
  invocation: Invocation,
): Promise<number> {
  const engine = await invocation.loadEngine();
  if (id === undefined) {
    throw new UsageError('explain needs the id of a finding', `one of ${engine.allFindingIds().join(', ')}`);
  }
  const explanation = engine.explainFinding(id);
  if (explanation === undefined) requireFindingId('explain', id, engine.allFindingIds());
  return withHost(options, false, invocation, async (host) => {
    if (explanation === undefined) throw new Error(`the finding ${id} has no explanation`);
    host.present({ format: 'rekindle.explain/v1', ...explanation });
    return exitCodes.well;
  });
}
