/**
 * The API server by `kubectl` inside a control-plane node: the way round where the published port cannot be reached,
 * as over an ssh context. Slower (one exec for each request), but it needs nothing on this host.
 */

import { type Engine, EngineError, type ExecRequest, type ExecResult } from '../docker/port.ts';
import type { Sleep } from '../sleep.ts';
import { withDeadline } from './deadline.ts';
import { makeEventReader } from './events.ts';
import { explainKubectl } from './kubectl-failures.ts';
import { fetchInPages } from './pages.ts';
import { parsePath, readAllQuery, withQuery } from './paths.ts';
import { type KubeApi, KubeError, type KubeRequestOptions, type WatchEvent } from './port.ts';

export interface NodeConnectionOptions {
  /**
   * Dialled instead of admin.conf's server, such as `https://localhost:6443`: with several control planes admin.conf
   * names the load balancer, which may be the part that is broken.
   */
  readonly server?: string;
  readonly sleep?: Sleep;
}

const ADMIN_CONFIG = '/etc/kubernetes/admin.conf';

/** Seconds after which a watch ends by itself, because a command in a container outlives the exec that started it. */
const WATCH_SECONDS = 300;

export function connectThroughNode(engine: Engine, container: string, options: NodeConnectionOptions = {}): KubeApi {
  const endpoint = `kubectl in ${container}`;

  /** kubectl's own limit, so that nothing stays behind in the node when the exec is given up. */
  const makeArgv = (timeoutMs: number, argv: readonly string[]) => [
    'kubectl',
    `--kubeconfig=${ADMIN_CONFIG}`,
    ...(options.server === undefined ? [] : [`--server=${options.server}`]),
    `--request-timeout=${Math.max(0, Math.ceil(timeoutMs))}ms`,
    ...argv,
  ];

  async function run(
    what: string,
    argv: readonly string[],
    timeoutMs: number,
    signal: AbortSignal,
    stdin?: unknown,
  ): Promise<string> {
    const result = await execute(engine, container, {
      argv: makeArgv(timeoutMs, argv),
      timeoutMs,
      signal,
      ...(stdin === undefined ? {} : { stdin: Buffer.from(JSON.stringify(stdin)) }),
    });
    if (result.exitCode !== 0) throw explainKubectl(what, endpoint, result);
    return result.stdout.toString('utf8');
  }

  function limit<T>(
    what: string,
    requestOptions: KubeRequestOptions,
    action: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    return withDeadline(
      { ...requestOptions, sleep: options.sleep },
      what,
      () => 'kubectl in the node gave no answer',
      action,
    );
  }

  return {
    via: 'node',
    endpoint,
    get: (path, requestOptions) => {
      const what = `GET ${path} by ${endpoint}`;
      return limit(what, requestOptions, (signal) =>
        fetchInPages(path, async (page) => {
          const argv = ['get', '--raw', requireAbsolute(page)];
          const text = await run(what, argv, requestOptions.timeoutMs, signal);
          return parsePath(page)?.subresource === 'log' ? text : decode(text);
        }),
      );
    },
    patch: (path, type, body, requestOptions) => {
      const what = `PATCH ${path} by ${endpoint}`;
      return limit(what, requestOptions, async (signal) =>
        decode(await run(what, makePatchArgv(path, type), requestOptions.timeoutMs, signal, body)),
      );
    },
    delete: async (path, requestOptions) => {
      const what = `DELETE ${path} by ${endpoint}`;
      const uid = requestOptions.preconditionUid;
      const body = {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        ...(uid === undefined ? {} : { preconditions: { uid } }),
      };
      const argv = ['delete', '--raw', requireAbsolute(path), '--filename=-'];
      await limit(what, requestOptions, (signal) => run(what, argv, requestOptions.timeoutMs, signal, body));
    },
    watch: (path, watchOptions) => watch(engine, container, endpoint, makeArgv(0, []), path, watchOptions),
  };
}

function makePatchArgv(path: string, type: string): string[] {
  const parsed = parsePath(path);
  if (parsed?.name === undefined) throw new KubeError('failed', `"${path}" names no object that could be patched.`);
  return [
    'patch',
    `--type=${type}`,
    '--patch-file=/dev/stdin',
    '--output=json',
    ...makePatchFlags(path),
    ...(parsed.namespace === undefined ? [] : [`--namespace=${parsed.namespace}`]),
    ...(parsed.subresource === undefined ? [] : [`--subresource=${parsed.subresource}`]),
    '--',
    `${parsed.resource}.${parsed.version}.${parsed.group}`,
    parsed.name,
  ];
}

/**
 * `kubectl patch` takes no query, only flags. A parameter without a flag is refused: dropped, a dry run would be a
 * change.
 */
function makePatchFlags(path: string): string[] {
  return Object.entries(readAllQuery(path)).map(([key, value]) => {
    if (key === 'dryRun' && value === 'All') return '--dry-run=server';
    if (key === 'fieldManager') return `--field-manager=${value}`;
    throw new KubeError('failed', `kubectl in a node cannot patch with the parameter "${key}=${value}".`);
  });
}

function requireAbsolute(path: string): string {
  if (!path.startsWith('/')) throw new KubeError('failed', `"${path}" is no API path: it must begin with a slash.`);
  return path;
}

/** Plain endpoints such as `/readyz` answer text; kubectl does not pass on the content type that would tell. */
function decode(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

async function execute(engine: Engine, container: string, request: ExecRequest): Promise<ExecResult> {
  try {
    return await engine.exec(container, request);
  } catch (error) {
    const kind = error instanceof EngineError && error.kind === 'timeout' ? 'timeout' : 'unreachable';
    const reason = error instanceof Error ? error.message : String(error);
    throw new KubeError(kind, `kubectl cannot be run in ${container}: ${reason}`, { cause: error });
  }
}

async function* watch(
  engine: Engine,
  container: string,
  endpoint: string,
  kubectl: readonly string[],
  path: string,
  options: { readonly resourceVersion: string; readonly signal: AbortSignal },
): AsyncGenerator<WatchEvent> {
  if (options.signal.aborted) return;
  const raw = withQuery(requireAbsolute(path), {
    watch: '1',
    allowWatchBookmarks: 'true',
    resourceVersion: options.resourceVersion,
    timeoutSeconds: String(WATCH_SECONDS),
  });
  const chunks: Buffer[] = [];
  let wake = () => {};
  let begun = false;
  const stop = new AbortController();
  const onAbort = () => {
    stop.abort();
    wake();
  };
  options.signal.addEventListener('abort', onAbort, { once: true });
  let ended: { readonly result?: ExecResult; readonly error?: unknown } | undefined;
  execute(engine, container, {
    argv: [...kubectl, 'get', '--raw', raw],
    timeoutMs: (WATCH_SECONDS + 30) * 1000,
    signal: stop.signal,
    onStdout: (chunk) => {
      begun = true;
      chunks.push(chunk);
      wake();
    },
  }).then(
    (result) => {
      ended = { result };
      wake();
    },
    (error: unknown) => {
      ended = { error };
      wake();
    },
  );
  const read = makeEventReader();
  try {
    while (!options.signal.aborted) {
      const chunk = chunks.shift();
      if (chunk !== undefined) yield* read(chunk);
      else if (ended !== undefined) break;
      else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
    if (options.signal.aborted || begun || ended === undefined) return;
    if (ended.error !== undefined) throw ended.error;
    if (ended.result !== undefined && ended.result.exitCode !== 0) {
      throw explainKubectl(`Watching ${path} by ${endpoint}`, endpoint, ended.result);
    }
  } finally {
    options.signal.removeEventListener('abort', onAbort);
    stop.abort();
  }
}
