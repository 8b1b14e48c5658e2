import type { StatusDocument } from '../documents.ts';
import { exitCodeOfDiagnoses, exitCodes } from '../exit-codes.ts';
import { type CommonOptions, type EngineOptions, type Invocation, openWorld, withHost } from '../invocation.ts';
import { makeClusterStatus } from '../reports.ts';

export type StatusOptions = CommonOptions & EngineOptions;

export async function runStatus(options: StatusOptions, invocation: Invocation): Promise<number> {
  const { signal } = invocation;
  const engine = await invocation.loadEngine();
  return withHost(options, false, invocation, async (host) => {
    const world = await openWorld(engine, options, invocation);
    const failure = engine.readEngineFailure(world);
    if (failure !== null) {
      host.present({ format: 'rekindle.status/v1', engine: failure, clusters: [] });
      return exitCodes.couldNotLook;
    }
    const clusters = await engine.listClusters(world);
    const results = await Promise.all(
      clusters.map((cluster) => engine.diagnoseCluster(world, cluster, { host, signal })),
    );
    signal.throwIfAborted();
    const document: StatusDocument = {
      format: 'rekindle.status/v1',
      engine: results[0]?.facts.engine ?? null,
      clusters: results.map(({ facts, diagnosis }) => makeClusterStatus(facts, diagnosis)),
    };
    host.present(document);
    return exitCodeOfDiagnoses(
      results.map(({ diagnosis }) => diagnosis.verdict),
      'error',
    );
  });
}
