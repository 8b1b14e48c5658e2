import type { Diagnosis } from '../../engine/diagnosis.ts';
import type { Facts } from '../../facts/facts.ts';
import { type ClusterOptions, readWantedCluster, requireCluster } from '../cluster.ts';
import type { EngineApi } from '../engine-api.ts';
import { UsageError } from '../errors.ts';
import { exitCodeOfDiagnoses, exitCodes, type FailOn } from '../exit-codes.ts';
import type { CommandHost } from '../hosts/host.ts';
import { type CommonOptions, type EngineOptions, type Invocation, openWorld, withHost } from '../invocation.ts';
import { makeClusterReport } from '../reports.ts';

export interface DoctorOptions extends CommonOptions, EngineOptions, ClusterOptions {
  readonly from?: string | undefined;
  readonly failOn: FailOn;
}

interface Judged {
  readonly facts: Facts;
  readonly diagnosis: Diagnosis;
}

export async function runDoctor(options: DoctorOptions, invocation: Invocation): Promise<number> {
  const wanted = readWantedCluster(options, options.from === undefined ? invocation.surroundings.environment : {});
  const engine = await invocation.loadEngine();
  return withHost(options, false, invocation, async (host) => {
    if (options.from !== undefined) {
      const { readFactsFile } = await import('./facts-file.ts');
      const facts = await readFactsFile(options.from, invocation.surroundings.workingDirectory);
      if (wanted !== undefined && wanted !== facts.cluster) {
        throw new UsageError(`${options.from} tells of ${facts.cluster}, not of ${wanted}`, 'leave --name out');
      }
      return present('recording', [{ facts, diagnosis: engine.diagnoseFacts(facts) }], engine, host, options.failOn);
    }
    return diagnoseLive(wanted, options, invocation, engine, host);
  });
}

async function diagnoseLive(
  wanted: string | undefined,
  options: DoctorOptions,
  invocation: Invocation,
  engine: EngineApi,
  host: CommandHost,
): Promise<number> {
  const { signal } = invocation;
  const world = await openWorld(engine, options, invocation);
  const failure = engine.readEngineFailure(world);
  if (failure !== null) {
    // Without an engine there are no clusters to name: the finding is the engine's own.
    present(
      'live',
      [await engine.diagnoseCluster(world, wanted ?? '', { host, signal })],
      engine,
      host,
      options.failOn,
    );
    return exitCodes.couldNotLook;
  }
  const existing = await engine.listClusters(world);
  const clusters = wanted === undefined ? existing : [requireCluster(wanted, existing)];
  const judged = await Promise.all(clusters.map((cluster) => engine.diagnoseCluster(world, cluster, { host, signal })));
  signal.throwIfAborted();
  return present('live', judged, engine, host, options.failOn);
}

function present(
  source: 'live' | 'recording',
  judged: readonly Judged[],
  engine: EngineApi,
  host: CommandHost,
  failOn: FailOn,
): number {
  host.present({
    format: 'rekindle.doctor/v1',
    source,
    engine: judged[0]?.facts.engine ?? null,
    clusters: judged.map(({ facts, diagnosis }) =>
      makeClusterReport(facts, diagnosis, engine.planFor(facts, diagnosis, { only: [], maxRisk: 'disruptive' })),
    ),
  });
  return exitCodeOfDiagnoses(
    judged.map(({ diagnosis }) => diagnosis.verdict),
    failOn,
  );
}
