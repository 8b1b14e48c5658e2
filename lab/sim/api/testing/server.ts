/** An API server for tests: objects, and answers without a connection. */

import { createVirtualClock, type VirtualClock } from '../../clock.ts';
import type { ApiServerState, KubeObject, ObjectStore } from '../../contracts.ts';
import { collectAnswer } from '../answers.ts';
import { handleApiRequest } from '../handler.ts';
import type { ApiRequest, ApiSurroundings } from '../request.ts';
import { createObjectStore } from '../store.ts';

export interface TestServer {
  readonly clock: VirtualClock;
  readonly store: ObjectStore;
  /** May be changed at any time. */
  readonly state: { -readonly [Key in keyof ApiServerState]: ApiServerState[Key] };
  ask(
    method: string,
    path: string,
    options?: Partial<Pick<ApiRequest, 'signal'>> & {
      readonly body?: unknown;
      readonly type?: string;
      accept?: string;
    },
  ): Promise<{ readonly status: number; readonly text: string; readonly json: unknown }>;
}

export function makeTestServer(
  options: { readonly historyLimit?: number; readonly surroundings?: Partial<ApiSurroundings> } = {},
): TestServer {
  const clock = createVirtualClock(new Date('2026-01-01T00:00:00Z'));
  const store = makeTestStore(clock.now, options.historyLimit);
  const state = {
    name: 'idp-mvp-control-plane',
    certificatePem: '',
    privateKeyPem: '',
    clientAuthorityPem: '',
    store,
    etcd: 'ok' as const,
    unready: [],
  } satisfies ApiServerState;
  const server: TestServer = {
    clock,
    store,
    state,
    async ask(method, path, { body, type = 'application/json', accept = 'application/json', signal } = {}) {
      const request = {
        method,
        path,
        headers: { accept, 'content-type': type },
        ...(body === undefined ? {} : { body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)) }),
        ...(signal === undefined ? {} : { signal }),
      };
      const answer = await collectAnswer(
        await handleApiRequest(server.state, request, { clock, ...options.surroundings }),
        signal,
      );
      const text = answer.body.toString('utf8');
      const json: unknown =
        answer.contentType === 'application/json' && !text.includes('}\n{') ? JSON.parse(text) : text;
      return { status: answer.status, text, json };
    },
  };
  return server;
}

export function makeTestStore(now: () => number = () => 0, historyLimit?: number): ObjectStore {
  let seed = 1;
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  return createObjectStore({ now, random, ...(historyLimit === undefined ? {} : { historyLimit }) });
}

export function makePod(
  namespace: string,
  name: string,
  details: { readonly labels?: Readonly<Record<string, string>>; readonly node?: string; readonly phase?: string } = {},
): KubeObject {
  const { labels = {}, node = 'idp-mvp-worker', phase = 'Running' } = details;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace, name, labels },
    spec: { containers: [{ name: 'main', image: 'lab/small:1' }], nodeName: node },
    status: { phase },
  };
}
