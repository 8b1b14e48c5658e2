import type { EngineApi } from './engine-api.ts';
import { UsageError } from './errors.ts';
import type { Surroundings } from '../engine/surroundings.ts';
import { findNearest } from './text/nearest.ts';
import { list } from './text/words.ts';

export interface ClusterOptions {
  readonly name?: string | undefined;
  readonly context?: string | undefined;
  readonly kubeconfig?: string | undefined;
}

/** The cluster that was asked for by flag or environment; undefined where none was. */
export function readWantedCluster(
  options: ClusterOptions,
  environment: Surroundings['environment'],
): string | undefined {
  const fromContext = options.context === undefined ? undefined : readContext(options.context);
  if (options.name !== undefined && fromContext !== undefined && options.name !== fromContext) {
    throw new UsageError(
      `--name ${options.name} and --context ${options.context} are two clusters`,
      'give one of the two flags',
    );
  }
  const fromEnvironment = environment['KIND_CLUSTER_NAME'];
  const flag = options.name !== undefined ? '--name' : 'KIND_CLUSTER_NAME';
  const name = options.name ?? fromContext ?? (fromEnvironment === '' ? undefined : fromEnvironment);
  if (name === undefined) return undefined;
  // The names that kind itself allows.
  if (!/^[a-z0-9.-]+$/.test(name)) {
    throw new UsageError(
      `${fromContext === undefined ? flag : '--context'}: "${name}" is no name of a kind cluster`,
      'kind allows lower-case letters, digits, dots and dashes',
    );
  }
  return name;
}

function readContext(context: string): string {
  if (context.startsWith('kind-') && context.length > 'kind-'.length) return context.slice('kind-'.length);
  throw new UsageError(
    `--context ${context} is no context of a kind cluster`,
    'they are called kind-<cluster>; --name takes the cluster itself',
  );
}

/** The wanted cluster, or the only one, or the one that the kubeconfig's current context names. */
export async function pickCluster(
  wanted: string | undefined,
  clusters: readonly string[],
  options: ClusterOptions,
  engine: EngineApi,
  surroundings: Surroundings,
): Promise<string> {
  if (wanted !== undefined) return requireCluster(wanted, clusters);
  const [only, another] = clusters;
  if (only === undefined) throw new UsageError('this Docker engine has no kind clusters', noClustersHint);
  if (another === undefined) return only;
  const context = await engine.readCurrentContext(options.kubeconfig, surroundings);
  const current = clusters.find((cluster) => context === `kind-${cluster}`);
  if (current !== undefined) return current;
  throw new UsageError(`there are several kind clusters: ${list(clusters)}`, 'say which one with --name');
}

export function requireCluster(wanted: string, clusters: readonly string[]): string {
  if (clusters.includes(wanted)) return wanted;
  if (clusters.length === 0) {
    throw new UsageError(`there is no kind cluster "${wanted}": this Docker engine has none`, noClustersHint);
  }
  const [nearest] = findNearest(wanted, clusters);
  const meant = nearest === undefined ? '' : `did you mean ${nearest}? `;
  throw new UsageError(`there is no kind cluster "${wanted}"`, `${meant}this engine has ${list(clusters)}`);
}

export const noClustersHint =
  'is it the right engine? --docker-host, DOCKER_HOST and `docker context use` choose another';
