import { readFile, stat } from 'node:fs/promises';
import type { EndpointHost } from '../docker/context.ts';
import { discoverEngine } from '../docker/discover.ts';
import { connectEngine } from '../docker/dockerode.ts';
import { type Engine, EngineError, type EngineInfo } from '../docker/port.ts';
import type { EngineFacts } from '../facts/engine.ts';
import type { Surroundings } from './surroundings.ts';

/** Labels that kind puts on its containers. */
export const clusterLabel = 'io.x-k8s.kind.cluster';
export const roleLabel = 'io.x-k8s.kind.role';

export interface WorldOptions {
  readonly dockerHost?: string;
  /** The kubeconfig to mend, where the user names one. */
  readonly kubeconfig?: string;
  /** kind's Docker network, where it is not `kind`. */
  readonly network?: string;
}

/** What rekindle acts on: a Docker engine with kind clusters. */
export interface World {
  readonly surroundings: Surroundings;
  readonly options: WorldOptions;
  /** kind's Docker network. */
  readonly networkName: string;
  readonly engine:
    | {
        readonly ok: true;
        readonly engine: Engine /** Asked for at once, and awaited where it is needed. */;
        readonly info: Promise<EngineInfo>;
      }
    | { readonly ok: false; readonly error: EngineError };
}

/** What the user named makes no sense: a flag, a variable or a file, with its place. */
export class ConfigurationError extends Error {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.name = 'ConfigurationError';
  }
}

/**
 * Never rejects for an engine that is out of reach: that is a finding. Rejects with a ConfigurationError for an endpoint
 * that makes no sense, and for a kubeconfig named by the user that is none.
 */
export async function openWorld(options: WorldOptions, surroundings: Surroundings): Promise<World> {
  if (options.kubeconfig !== undefined) await checkKubeconfig(options.kubeconfig);
  const networkName = options.network ?? 'kind';
  return { surroundings, options, networkName, engine: await openEngine(options, surroundings) };
}

/** A file that is not there yet may be named: heal would make it. */
async function checkKubeconfig(path: string): Promise<void> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return;
    const why = error instanceof Error ? error.message : String(error);
    throw new ConfigurationError(`--kubeconfig ${path} cannot be read: ${why}`, { cause: error });
  }
  const { parseKubeconfig } = await import('./gather/readers.ts');
  const parsed = parseKubeconfig(text);
  if (parsed.ok) return;
  throw new ConfigurationError(`--kubeconfig ${path}, line ${parsed.line}, column ${parsed.column}: ${parsed.message}`);
}

async function openEngine(options: WorldOptions, surroundings: Surroundings): Promise<World['engine']> {
  try {
    const engine = await discoverEngine({
      ...(options.dockerHost === undefined ? {} : { dockerHost: options.dockerHost }),
      host: endpointHost(surroundings),
      connect: (endpoint, given) => connectEngine(endpoint, { ...given, sleep: surroundings.clock.sleep }),
    });
    const info = engine.info();
    // Whoever awaits it is told; nobody may need it.
    info.catch(() => undefined);
    return { ok: true, engine, info };
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    if (error.kind === 'failed') throw new ConfigurationError(error.message, { cause: error });
    return { ok: false, error };
  }
}

function endpointHost({ environment, home, uid, platform }: Surroundings): EndpointHost {
  return {
    environment,
    home,
    platform,
    files: { readFile: (path) => readFile(path), stat },
    ...(platform === 'win32' ? {} : { uid }),
  };
}

/** Never rejects: what the engine does not tell of itself stays empty. */
export async function engineFacts(world: World): Promise<EngineFacts> {
  const { platform } = world.surroundings;
  if (!world.engine.ok) return failedEngineFacts(world.engine.error, platform);
  const { engine, info } = world.engine;
  const told = await info.catch(() => ({ id: '', version: '', operatingSystem: '' }));
  const { endpoint, attempts } = engine;
  return { state: 'reachable', endpoint, reason: '', attempts, ...told, hostPlatform: platform };
}

export function failedEngineFacts(error: EngineError, platform: NodeJS.Platform): EngineFacts {
  return {
    state: error.kind === 'permission-denied' ? 'permission-denied' : 'unreachable',
    endpoint: chosenEndpoint(error),
    reason: error.message,
    attempts: error.attempts,
    id: '',
    version: '',
    operatingSystem: '',
    hostPlatform: platform,
  };
}

/** The endpoint that was to be used: the user's choice, or the one that refused; empty where several were tried in vain. */
function chosenEndpoint({ kind, attempts }: EngineError): string {
  const named = attempts.filter(({ endpoint }) => endpoint !== '');
  return named.length === 1 || kind === 'permission-denied' ? (named.at(-1)?.endpoint ?? '') : '';
}

/** The names of every kind cluster of the engine, running or not. Rejects with an EngineError. */
export async function listClusters(world: World): Promise<string[]> {
  if (!world.engine.ok) throw world.engine.error;
  const containers = await world.engine.engine.listContainers({ [clusterLabel]: undefined });
  return [...new Set(containers.map(({ labels }) => labels[clusterLabel] ?? ''))].filter((name) => name !== '').sort();
}
