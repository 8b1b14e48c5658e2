/**
 * The API server over the port that its container publishes, on node:https.
 *
 * Why not @kubernetes/client-node 1.4.0: bundled and minified by esbuild it is 1.5 MB and costs about 160 ms of start-up
 * (median of 21 runs on 2 busy cores: empty script 138 ms, node:https 153 ms, client-node 316 ms), nearly half of the
 * 350 ms that a whole diagnosis is allowed. We need four verbs on raw paths, because the same paths also go through `kubectl` inside a
 * node, and times-out that hold for servers which accept and then say nothing.
 */

import type { IncomingMessage } from 'node:http';
import { type HttpsRequest, makeOpener, type Opener, type PortConnection, type Progress } from './connection.ts';
import type { Sleep } from '../sleep.ts';
import { withDeadline } from './deadline.ts';
import { makeEventReader } from './events.ts';
import { explainConnection, explainStatus } from './failures.ts';
import { fetchInPages } from './pages.ts';
import { withQuery } from './paths.ts';
import { type KubeApi, KubeError, type KubeRequestOptions, type WatchEvent } from './port.ts';

/** Verifies the server against the credentials' authority, always. Opens nothing before the first request. */
export function connectThroughPort(connection: PortConnection): KubeApi {
  const endpoint = connection.server.replace(/\/+$/, '');
  const open = makeOpener(endpoint, connection);
  const watchStart = { timeoutMs: connection.watchStartTimeoutMs ?? 10_000, sleep: connection.sleep };

  async function request(options: KubeRequestOptions, details: HttpsRequest): Promise<unknown> {
    const what = `${details.method} ${details.path} at ${endpoint}`;
    const progress: Progress = { stage: 'no connection was made' };
    return withDeadline(
      { ...options, sleep: connection.sleep },
      what,
      () => progress.stage,
      async (signal) => {
        if (details.method === 'GET') return fetchInPages(details.path, (path) => answer({ ...details, path }, signal));
        return answer(details, signal);
      },
    );

    async function answer(one: HttpsRequest, signal: AbortSignal): Promise<unknown> {
      // A write gets a connection of its own: where a kept one breaks, nobody knows whether the write was done.
      const response = await open(one, one.method === 'GET' ? 'kept' : 'own', signal, progress);
      const text = await readText(response, endpoint);
      const status = response.statusCode ?? 0;
      if (status >= 400) throw explainStatus(what, status, text);
      return decode(what, response.headers['content-type'], text);
    }
  }

  return {
    via: 'published-port',
    endpoint,
    get: (path, options) => request(options, { method: 'GET', path }),
    patch: (path, type, value, options) =>
      request(options, { method: 'PATCH', path, body: { type: PATCH_TYPES[type], value } }),
    delete: async (path, options) => {
      const preconditions =
        options.preconditionUid === undefined ? {} : { preconditions: { uid: options.preconditionUid } };
      const value = { apiVersion: 'v1', kind: 'DeleteOptions', ...preconditions };
      await request(options, { method: 'DELETE', path, body: { type: 'application/json', value } });
    },
    watch: (path, options) => watch(open, endpoint, watchStart, path, options),
  };
}

const PATCH_TYPES = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
} as const;

async function readText(response: IncomingMessage, endpoint: string): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
  } catch (error) {
    throw explainConnection(endpoint, error);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function decode(what: string, type: string | undefined, text: string): unknown {
  if (type?.startsWith('application/json') !== true) return text;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new KubeError('failed', `${what} was answered with something that is no JSON.`, { cause: error });
  }
}

/** Once begun, a watch ends without an error however its connection ends: what follows is a new list either way. */
async function* watch(
  open: Opener,
  endpoint: string,
  start: { readonly timeoutMs: number; readonly sleep: Sleep | undefined },
  path: string,
  options: { readonly resourceVersion: string; readonly signal: AbortSignal },
): AsyncGenerator<WatchEvent> {
  if (options.signal.aborted) return;
  const query = { watch: '1', allowWatchBookmarks: 'true', resourceVersion: options.resourceVersion };
  const request = { method: 'GET', path: withQuery(path, query) } as const;
  const what = `Watching ${path} at ${endpoint}`;
  const progress: Progress = { stage: 'no connection was made' };
  const stop = new AbortController();
  const onAbort = () => stop.abort();
  options.signal.addEventListener('abort', onAbort, { once: true });
  try {
    const response = await withDeadline(
      { timeoutMs: start.timeoutMs, signal: options.signal, sleep: start.sleep },
      what,
      () => progress.stage,
      async (signal) => {
        signal.addEventListener('abort', onAbort, { once: true });
        const begun = await open(request, 'own', stop.signal, progress);
        const status = begun.statusCode ?? 0;
        if (status >= 400) throw explainStatus(what, status, await readText(begun, endpoint));
        return begun;
      },
    );
    response.socket.setKeepAlive(true, 15_000);
    yield* readEvents(response);
  } catch (error) {
    if (!options.signal.aborted) throw error;
  } finally {
    options.signal.removeEventListener('abort', onAbort);
    stop.abort();
  }
}

async function* readEvents(response: IncomingMessage): AsyncGenerator<WatchEvent> {
  const read = makeEventReader();
  const chunks = (response as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  for (;;) {
    const next = await chunks.next().catch(() => undefined);
    if (next === undefined || next.done === true) return;
    yield* read(next.value);
  }
}
