import type { EndpointHost } from './context.ts';
import { chooseContext, joinPath, readContext, readEnvironmentTls } from './context.ts';
import type { EngineEndpoint } from './endpoint.ts';
import { parseEndpoint } from './endpoint.ts';
import { codeOf } from './failure.ts';
import type { EndpointAttempt, Engine } from './port.ts';
import { EngineError } from './port.ts';

export interface DiscoveryOptions {
  /** The value of `--docker-host`, where it was given. */
  readonly dockerHost?: string;
  readonly host: EndpointHost;
  /**
   * Opens an endpoint and makes sure that an engine answers there; rejects with an EngineError where none does.
   * `attempts` ends with the endpoint itself.
   */
  readonly connect: (
    endpoint: EngineEndpoint,
    options: { readonly attempts: readonly EndpointAttempt[] },
  ) => Promise<Engine>;
}

/** A strategy names an endpoint, or says why it does not apply. */
type Proposal =
  | { readonly applies: true; readonly endpoint: EngineEndpoint }
  | { readonly applies: false; readonly source: string; readonly endpoint: string; readonly reason: string };

/**
 * Finds the engine: flag, DOCKER_HOST, docker context, default socket, then the sockets of rootless Docker and of the
 * desktop products. What the user chose (the first three) is final: where it fails, nothing else is tried, for another
 * engine would hold other clusters. Rejects with an EngineError `unreachable` or `permission-denied` that lists every
 * attempt, or with the kind the chosen endpoint failed with.
 */
export async function discoverEngine(options: DiscoveryOptions): Promise<Engine> {
  const { host } = options;
  const passed: EndpointAttempt[] = [];

  for (const propose of [() => proposeFlag(options), () => proposeVariable(host), () => proposeContext(host)]) {
    const proposal = await resolveChoice(propose, passed);
    if (proposal.applies) {
      return connectChoice(options, proposal.endpoint, passed);
    }
    passed.push({ source: proposal.source, endpoint: proposal.endpoint, reason: proposal.reason });
  }

  let denied: EngineEndpoint | undefined;
  for (const place of listSockets(host)) {
    const outcome = await trySocket(options, place, passed);
    if (!(outcome instanceof EngineError)) {
      return outcome;
    }
    denied ??= outcome.kind === 'permission-denied' ? place : undefined;
    passed.push({ source: place.source, endpoint: place.url, reason: outcome.message });
  }
  throw describeNothingFound(denied, passed);
}

async function resolveChoice(propose: () => Promise<Proposal>, passed: readonly EndpointAttempt[]): Promise<Proposal> {
  try {
    return await propose();
  } catch (error) {
    const choice = error instanceof ChoiceError ? error : new ChoiceError('', '', error);
    const attempts = [...passed, { source: choice.source, endpoint: choice.endpoint, reason: choice.message }];
    const message = `${choice.source} cannot be used: ${choice.message}. Correct it or unset it.`;
    throw new EngineError('unreachable', message, { cause: error, attempts });
  }
}

/** A choice of the user's that cannot even be tried. */
class ChoiceError extends Error {
  readonly source: string;
  readonly endpoint: string;
  constructor(source: string, endpoint: string, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.source = source;
    this.endpoint = endpoint;
  }
}

async function proposeFlag(options: DiscoveryOptions): Promise<Proposal> {
  const source = '--docker-host';
  return options.dockerHost === undefined
    ? { applies: false, source, endpoint: '', reason: 'not given' }
    : proposeAddress(options.host, source, options.dockerHost);
}

async function proposeVariable(host: EndpointHost): Promise<Proposal> {
  const source = 'DOCKER_HOST';
  const value = host.environment['DOCKER_HOST'];
  return value ? proposeAddress(host, source, value) : { applies: false, source, endpoint: '', reason: 'not set' };
}

async function proposeAddress(host: EndpointHost, source: string, value: string): Promise<Proposal> {
  try {
    const tls = await readEnvironmentTls(host);
    return { applies: true, endpoint: parseEndpoint(value, { source, ...(tls ? { tls } : {}), ...findAgent(host) }) };
  } catch (error) {
    throw new ChoiceError(source, '', error);
  }
}

async function proposeContext(host: EndpointHost): Promise<Proposal> {
  const choice = await chooseContext(host).catch((error: unknown) => {
    throw new ChoiceError('docker context', '', error);
  });
  if (!choice.chosen) {
    return { applies: false, source: 'docker context', endpoint: '', reason: choice.reason };
  }
  const source = `docker context "${choice.name}"`;
  try {
    const context = await readContext(host, choice.name);
    const tls = context.tls ? { tls: context.tls } : {};
    return { applies: true, endpoint: parseEndpoint(context.host, { source, ...tls, ...findAgent(host) }) };
  } catch (error) {
    throw new ChoiceError(`${source} (chosen by ${choice.by})`, '', error);
  }
}

function findAgent(host: EndpointHost): { sshAgent?: string } {
  const agent = host.environment['SSH_AUTH_SOCK'];
  return agent ? { sshAgent: agent } : {};
}

async function connectChoice(
  options: DiscoveryOptions,
  endpoint: EngineEndpoint,
  passed: readonly EndpointAttempt[],
): Promise<Engine> {
  const attempt = { source: endpoint.source, endpoint: endpoint.url };
  try {
    return await options.connect(endpoint, { attempts: [...passed, attempt] });
  } catch (error) {
    const failure = asEngineError(error);
    throw new EngineError(failure.kind, `The engine named by ${endpoint.source} does not answer: ${failure.message}`, {
      cause: error,
      attempts: [...passed, { ...attempt, reason: failure.message }],
    });
  }
}

async function trySocket(
  options: DiscoveryOptions,
  endpoint: EngineEndpoint,
  passed: readonly EndpointAttempt[],
): Promise<Engine | EngineError> {
  const absence = await explainAbsence(options.host, endpoint);
  if (absence) {
    return absence;
  }
  try {
    const attempt = { source: endpoint.source, endpoint: endpoint.url };
    return await options.connect(endpoint, { attempts: [...passed, attempt] });
  } catch (error) {
    return asEngineError(error);
  }
}

/** A look at the file tells "not installed" from "not running", which a refused connection does not. */
async function explainAbsence(host: EndpointHost, endpoint: EngineEndpoint): Promise<EngineError | undefined> {
  if (endpoint.transport.kind !== 'socket') {
    return undefined;
  }
  try {
    const found = await host.files.stat(endpoint.transport.path);
    return found.isSocket() ? undefined : new EngineError('unreachable', 'is there but is no socket');
  } catch (error) {
    const code = codeOf(error);
    return code === 'EACCES' || code === 'EPERM'
      ? new EngineError('permission-denied', `permission denied (${code})`, { cause: error })
      : new EngineError('unreachable', `does not exist${code === 'ENOENT' ? '' : ` (${code})`}`, { cause: error });
  }
}

function listSockets(host: EndpointHost): EngineEndpoint[] {
  const places =
    host.platform === 'win32'
      ? [
          ['default pipe', 'npipe:////./pipe/docker_engine'],
          ['Docker Desktop pipe', 'npipe:////./pipe/dockerDesktopLinuxEngine'],
        ]
      : listUnixSockets(host);
  const endpoints = places.map(([source = '', url = '']) => parseEndpoint(url, { source }));
  return endpoints.filter((one, index) => endpoints.findIndex((other) => other.url === one.url) === index);
}

function listUnixSockets(host: EndpointHost): string[][] {
  const runtime = host.environment['XDG_RUNTIME_DIR'];
  const inHome = (...parts: string[]) => `unix://${joinPath(host, host.home, ...parts)}`;
  return [
    ['default socket', 'unix:///var/run/docker.sock'],
    ...(runtime ? [['rootless socket', `unix://${joinPath(host, runtime, 'docker.sock')}`]] : []),
    ...(host.uid === undefined ? [] : [['rootless socket', `unix:///run/user/${host.uid}/docker.sock`]]),
    ['Docker Desktop socket', inHome('.docker', 'run', 'docker.sock')],
    ['Docker Desktop socket', inHome('.docker', 'desktop', 'docker.sock')],
    ['Rancher Desktop socket', inHome('.rd', 'docker.sock')],
    ['Colima socket', inHome('.colima', 'default', 'docker.sock')],
    ['OrbStack socket', inHome('.orbstack', 'run', 'docker.sock')],
  ];
}

function describeNothingFound(denied: EngineEndpoint | undefined, attempts: readonly EndpointAttempt[]): EngineError {
  if (denied) {
    const message =
      `Permission denied on ${denied.url} (${denied.source}). ` +
      'Run as a user who may use Docker (member of the group "docker"), or name another engine with --docker-host.';
    return new EngineError('permission-denied', message, { attempts });
  }
  const message = 'No Docker engine answers. Start Docker, or name its endpoint with --docker-host or DOCKER_HOST.';
  return new EngineError('unreachable', message, { attempts });
}

function asEngineError(error: unknown): EngineError {
  return error instanceof EngineError ? error : new EngineError('failed', String(error), { cause: error });
}
