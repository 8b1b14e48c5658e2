import { Readable } from 'node:stream';
import type Docker from 'dockerode';
import type { NetworkInspectInfo } from 'dockerode';
import { readArchive, writeArchive } from './archive.ts';
import { describeConnection } from './connection.ts';
import { type Sleep, sleepForReal } from '../sleep.ts';
import { type Deadline, withDeadline } from './deadline.ts';
import type { EngineEndpoint } from './endpoint.ts';
import { readEvents } from './events.ts';
import { runExec } from './exec.ts';
import { statusOf, toEngineError } from './failure.ts';
import { describeContainer, describeNetwork, describeSummary } from './mapping.ts';
import type { EndpointAttempt, Engine, EngineEvent } from './port.ts';
import { EngineError } from './port.ts';

export interface ConnectOptions {
  /** How the endpoint was found; ends with the endpoint itself. */
  readonly attempts?: readonly EndpointAttempt[];
  /** For the first answer. Milliseconds. */
  readonly connectTimeoutMs?: number;
  /** For a call that only looks; also the longest silence in a transfer. Milliseconds. */
  readonly lookTimeoutMs?: number;
  /** For a call that starts, stops or updates a container, beyond any grace period. Milliseconds. */
  readonly changeTimeoutMs?: number;
  readonly sleep?: Sleep;
}

const CONNECT_TIMEOUT_MS = 5_000;
const LOOK_TIMEOUT_MS = 10_000;
const CHANGE_TIMEOUT_MS = 60_000;

/**
 * Opens an engine and makes sure that it answers. The library is loaded here and not before: it costs a tenth of a
 * second and more, which commands that need no engine should not pay.
 */
export async function connectEngine(endpoint: EngineEndpoint, options: ConnectOptions = {}): Promise<Engine> {
  const library = await import('dockerode');
  const timeoutMs = options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS;
  const sleep = options.sleep ?? sleepForReal;
  const attempts = options.attempts ?? [{ source: endpoint.source, endpoint: endpoint.url }];
  const docker = await withDeadline(
    { context: { call: 'be reached', endpoint: endpoint.url }, timeoutMs, sleep },
    async ({ signal }) => {
      const opened = new library.default(describeConnection(endpoint));
      await dial(opened, '/_ping', signal);
      return opened;
    },
  );
  return createEngine(docker, endpoint, {
    attempts,
    lookTimeoutMs: options.lookTimeoutMs ?? LOOK_TIMEOUT_MS,
    changeTimeoutMs: options.changeTimeoutMs ?? CHANGE_TIMEOUT_MS,
    sleep,
  });
}

function createEngine(docker: Docker, endpoint: EngineEndpoint, options: EngineOptions): Engine {
  const call = <T>(what: string, work: (deadline: Deadline) => Promise<T>, limits: Limits = {}): Promise<T> =>
    withDeadline(
      {
        context: { call: what, endpoint: endpoint.url },
        timeoutMs: limits.timeoutMs ?? options.lookTimeoutMs,
        signal: limits.signal,
        sleep: options.sleep,
      },
      work,
    );
  const change = { timeoutMs: options.changeTimeoutMs };
  // Names become part of the request's path.
  const open = (container: string) => docker.getContainer(encodeURIComponent(container));
  const endInput = endpoint.transport.kind === 'pipe' ? 'empty-message' : 'half-close';

  return {
    endpoint: endpoint.url,
    attempts: options.attempts,
    info: () =>
      call('describe itself', async ({ signal }) => {
        const info = (await dial(docker, '/info', signal)) as EngineDescription;
        return { id: info.ID ?? '', version: info.ServerVersion ?? '', operatingSystem: info.OperatingSystem ?? '' };
      }),
    listContainers: (labels) =>
      call('list containers', async ({ signal }) => {
        const label = Object.entries(labels).map(([key, value]) => (value === undefined ? key : `${key}=${value}`));
        const found = await docker.listContainers({ all: true, filters: { label }, abortSignal: signal });
        return found.map(describeSummary);
      }),
    inspectContainer: (container) =>
      call(`inspect ${quote(container)}`, async ({ signal }) =>
        describeContainer(await open(container).inspect({ abortSignal: signal })),
      ),
    startContainer: (container) =>
      call(
        `start ${quote(container)}`,
        async ({ signal }) => ignoreUnmodified(open(container).start({ abortSignal: signal })),
        change,
      ),
    stopContainer: (container, graceSeconds) =>
      call(
        `stop ${quote(container)}`,
        async ({ signal }) => ignoreUnmodified(open(container).stop({ t: graceSeconds, abortSignal: signal })),
        { timeoutMs: options.changeTimeoutMs + graceSeconds * 1000 },
      ),
    setRestartPolicy: (container, policy) =>
      call(
        `set the restart policy of ${quote(container)}`,
        async ({ signal }) => {
          const RestartPolicy = { Name: policy.name, MaximumRetryCount: policy.maximumRetryCount };
          await open(container).update({ RestartPolicy, abortSignal: signal });
        },
        change,
      ),
    exec: (container, request) =>
      call(
        `run ${request.argv[0] ?? 'a command'} in ${quote(container)}`,
        (deadline) => runExec(open(container), request, deadline, { sleep: options.sleep, endInput }),
        { timeoutMs: request.timeoutMs, signal: request.signal },
      ),
    getArchive: (container, path) =>
      call(`read ${path} in ${quote(container)}`, async (deadline) => {
        const stream = await open(container).getArchive({ path, abortSignal: deadline.signal });
        return readArchive(stream, { signal: deadline.signal, onProgress: deadline.extend });
      }),
    putArchive: (container, directory, files) =>
      call(
        `write into ${directory} in ${quote(container)}`,
        async ({ signal }) => {
          await open(container).putArchive(await writeArchive(files), { path: directory, abortSignal: signal });
        },
        change,
      ),
    inspectNetwork: (network) =>
      call(`inspect network "${network}"`, async ({ signal }) =>
        describeNetwork((await dial(docker, `/networks/${encodeURIComponent(network)}`, signal)) as NetworkInspectInfo),
      ),
    events: (signal) => followEvents(docker, endpoint, options, signal),
  };
}

/**
 * Gets a document by its path. For the calls whose own methods take no abort signal, by their types or in fact: a
 * request to a hung engine that cannot be called off would keep the process alive.
 */
function dial(docker: Docker, path: string, signal: AbortSignal): Promise<unknown> {
  const statusCodes = { 200: true, 404: 'not found', 500: 'server error' };
  return new Promise((resolve, reject) => {
    const settle = (error: Error | null, document: unknown) => (error ? reject(error) : resolve(document));
    docker.modem.dial({ path, method: 'GET', abortSignal: signal, statusCodes }, settle);
  });
}

type EngineOptions = Required<Omit<ConnectOptions, 'connectTimeoutMs'>>;

interface Limits {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

function quote(container: string): string {
  return `container "${container}"`;
}

interface EngineDescription {
  readonly ID?: string;
  readonly ServerVersion?: string;
  readonly OperatingSystem?: string;
}

async function* followEvents(
  docker: Docker,
  endpoint: EngineEndpoint,
  options: EngineOptions,
  signal: AbortSignal,
): AsyncGenerator<EngineEvent> {
  if (signal.aborted) {
    return;
  }
  const context = { call: 'report events', endpoint: endpoint.url };
  const stream = await withDeadline(
    { context, timeoutMs: options.lookTimeoutMs, signal, sleep: options.sleep },
    (deadline) => docker.getEvents({ abortSignal: deadline.signal }),
  ).catch((error: unknown) => {
    if (signal.aborted) {
      return undefined;
    }
    throw error;
  });
  if (!(stream instanceof Readable)) {
    return;
  }
  const stop = () => stream.destroy();
  signal.addEventListener('abort', stop, { once: true });
  try {
    yield* readEvents(stream);
  } catch (error) {
    if (!signal.aborted) {
      throw toEngineError(error, context);
    }
  } finally {
    signal.removeEventListener('abort', stop);
    stream.destroy();
  }
  if (!signal.aborted) {
    throw new EngineError('unreachable', `Docker ended its event stream (${endpoint.url})`);
  }
}

/** Docker answers 304 to the start of a running container and to the stop of a stopped one. */
async function ignoreUnmodified(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (statusOf(error) !== 304) {
      throw error;
    }
  }
}
