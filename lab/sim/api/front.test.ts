import { once } from 'node:events';
import * as https from 'node:https';
import fc from 'fast-check';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { connectThroughPort } from '../../../src/kube/https.ts';
import { type KubeApi, KubeError, type WatchEvent } from '../../../src/kube/port.ts';
import {
  type Authority,
  type IssuedCertificate,
  issueCertificate,
  makeAuthority,
} from '../../../src/pki/testing/issue.ts';
import type { ApiServerState, KubeObject } from '../contracts.ts';
import { type ApiFront, startApiFront } from './front.ts';
import { makePod, makeTestServer, makeTestStore, type TestServer } from './testing/server.ts';

let ca: Authority;
let client: IssuedCertificate;
let serving: IssuedCertificate;

beforeAll(async () => {
  ca = await makeAuthority();
  // Of the simulated world's time, which is not the machine's.
  const dates = { notBefore: new Date('2025-12-01T00:00:00Z'), notAfter: new Date('2036-12-01T00:00:00Z') };
  client = await issueCertificate({ ca, commonName: 'kubernetes-admin', organization: 'system:masters', ...dates });
  serving = await issueCertificate({ ca, commonName: 'kube-apiserver', ipAddresses: ['127.0.0.1'] });
});

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const patient = { timeoutMs: 20_000 };
const pods = '/api/v1/namespaces/default/pods';

interface World extends TestServer {
  readonly front: ApiFront;
  readonly api: KubeApi;
  /** Undefined while nobody answers. */
  answering: ApiServerState | undefined;
  /** How much is being worked on. */
  busy: number;
  dial(credentials?: IssuedCertificate, authority?: Authority): KubeApi;
}

async function serve(server = makeTestServer()): Promise<World> {
  Object.assign(server.state, {
    certificatePem: serving.certificatePem,
    privateKeyPem: serving.privateKeyPem,
    clientAuthorityPem: ca.certificatePem,
  });
  const world = { ...server, answering: server.state as ApiServerState | undefined, busy: 0 } as World;
  const front = await startApiFront({
    clock: server.clock,
    host: '127.0.0.1',
    port: 0,
    state: () => world.answering,
    activity: {
      begin: () => {
        world.busy += 1;
        return () => {
          world.busy -= 1;
        };
      },
    },
  });
  closers.push(front.close);
  const dial = (credentials = client, authority = ca) =>
    connectThroughPort({
      server: `https://127.0.0.1:${front.port}`,
      credentials: {
        certificateAuthority: authority.certificatePem,
        clientCertificate: credentials.certificatePem,
        clientKey: credentials.privateKeyPem,
      },
    });
  return Object.assign(world, { front, dial, api: dial() });
}

async function failureOf(promise: Promise<unknown>): Promise<KubeError> {
  const error: unknown = await promise.then(
    () => new Error('it succeeded'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof KubeError)) throw error;
  return error;
}

async function waitUntil(isReached: () => boolean): Promise<void> {
  while (!isReached()) await new Promise((resolve) => setImmediate(resolve));
}

describe('the product’s client', () => {
  test('reads objects, lists of many pages, texts', async () => {
    const { api, store } = await serve();
    for (let index = 0; index < 1201; index++) store.create('pods', makePod('default', `pod-${index}`));
    const list = (await api.get('/api/v1/pods', patient)) as { items: KubeObject[]; metadata: object };
    expect(new Set(list.items.map(({ metadata }) => metadata.name)).size).toBe(1201);
    expect(list.metadata).toEqual({ resourceVersion: String(store.revision) });
    expect(await api.get(`${pods}/pod-7`, patient)).toMatchObject({ metadata: { name: 'pod-7' } });
    expect(await api.get('/readyz', patient)).toBe('ok');
  });

  test('patches and deletes', async () => {
    const { api, store } = await serve();
    const pod = store.create('pods', makePod('default', 'a', { node: '' }));
    await api.patch(`${pods}/a`, 'json', [{ op: 'add', path: '/metadata/labels/x', value: 'y' }], patient);
    await api.patch(`${pods}/a`, 'strategic', { metadata: { labels: { z: '1' } } }, patient);
    expect(store.get('pods', 'default', 'a')?.metadata.labels).toEqual({ x: 'y', z: '1' });
    const conflict = await failureOf(api.delete(`${pods}/a`, { ...patient, preconditionUid: 'u' }));
    expect(conflict.kind).toBe('conflict');
    await api.delete(`${pods}/a`, { ...patient, preconditionUid: pod.metadata.uid ?? '' });
    expect((await failureOf(api.delete(`${pods}/a`, patient))).message).toContain('pods "a" not found');
  });

  test('a list and the watch from its revision give what the store holds', async () => {
    const world = await serve();
    const change = fc.record({
      name: fc.constantFrom('a', 'b', 'c'),
      phase: fc.constantFrom('Pending', 'Running', undefined),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 12 }), fc.nat(12), async (changes, begin) => {
        const { api, answering } = world;
        if (answering === undefined) throw new Error('nobody answers');
        const store = makeTestStore();
        world.answering = { ...answering, store };
        const make = ({ name, phase }: (typeof changes)[number]) => {
          if (phase === undefined) store.remove('pods', 'default', name);
          else if (store.get('pods', 'default', name) === undefined) {
            store.create('pods', makePod('default', name, { phase }));
          } else store.update('pods', makePod('default', name, { phase }));
        };
        const list = (await api.get(pods, patient)) as {
          items: KubeObject[];
          metadata: { resourceVersion: string };
        };
        changes.slice(0, begin).forEach(make);
        const stop = new AbortController();
        const watch = api.watch(pods, { resourceVersion: list.metadata.resourceVersion, signal: stop.signal });
        const objects = new Map(list.items.map((pod) => [pod.metadata.name, pod]));
        const following = follow(watch, objects, 'last');
        changes.slice(begin).forEach(make);
        store.create('pods', makePod('default', 'last'));
        await following;
        stop.abort();
        expect([...objects.keys()].sort()).toEqual(store.list('pods').map(({ metadata }) => metadata.name));
        for (const pod of objects.values()) {
          expect(store.get('pods', 'default', pod.metadata.name)).toMatchObject({ status: pod.status });
        }
      }),
      { numRuns: 15 },
    );
  });
});

async function follow(
  events: AsyncIterable<WatchEvent>,
  objects: Map<string, KubeObject>,
  until: string,
): Promise<void> {
  for await (const { type, object } of events) {
    const pod = object as KubeObject;
    if (type === 'DELETED') objects.delete(pod.metadata.name);
    else if (type !== 'BOOKMARK') objects.set(pod.metadata.name, pod);
    if (pod.metadata.name === until) return;
  }
}

describe('callers', () => {
  test('of another authority are not let in, nor those whose certificate has run out in this world', async () => {
    const world = await serve();
    const other = await makeAuthority({ commonName: 'kubernetes' });
    const stranger = await issueCertificate({ ca: other, commonName: 'kubernetes-admin' });
    const refused = await failureOf(world.dial(stranger).get(pods, patient));
    expect(refused).toMatchObject({ kind: 'unauthorized', status: 401 });
    expect(refused.message).toContain('Unauthorized');
    await world.clock.advance(12 * 365 * 86_400_000);
    expect(await failureOf(world.dial().get(pods, patient))).toMatchObject({ status: 401 });
  });

  test('without a certificate learn the health, and nothing else', async () => {
    const { front } = await serve();
    const ask = async (path: string) => {
      const request = https.get({ host: '127.0.0.1', port: front.port, path, ca: ca.certificatePem, agent: false });
      const [response] = (await once(request, 'response')) as [import('node:http').IncomingMessage];
      response.resume();
      return response.statusCode;
    };
    expect(await ask('/readyz')).toBe(200);
    expect(await ask('/api/v1/nodes')).toBe(403);
  });
});

describe('the server behind the port', () => {
  test('is absent: the connection is closed before TLS', async () => {
    const world = await serve();
    world.answering = undefined;
    const error = await failureOf(world.api.get(pods, patient));
    expect(error.kind).toBe('unreachable');
    expect(error.message).toContain('closed the connection before TLS');
  });

  test('is another one with another certificate: the next connection sees it', async () => {
    const world = await serve();
    await world.api.get(pods, patient);
    const wrong = await issueCertificate({ ca, commonName: 'kube-apiserver', ipAddresses: ['172.18.0.9'] });
    world.front.dropConnections();
    world.answering = { ...world.state, certificatePem: wrong.certificatePem, privateKeyPem: wrong.privateKeyPem };
    expect((await failureOf(world.api.get(pods, patient))).message).toContain('not valid for the address');
    world.answering = world.state;
    expect(await world.api.get(pods, patient)).toMatchObject({ kind: 'PodList' });
  });

  test('stops: its watches end', async () => {
    const world = await serve();
    const { signal } = new AbortController();
    const seen: string[] = [];
    world.store.create('pods', makePod('default', 'a'));
    for await (const { type } of world.api.watch(pods, { resourceVersion: '1', signal })) {
      seen.push(type);
      world.front.dropConnections();
    }
    expect(seen).toEqual(['ADDED']);
  });

  test('has lost its etcd: lists go on, the rest waits for the caller to give up', async () => {
    const world = await serve();
    world.store.create('pods', makePod('default', 'a'));
    world.state.etcd = 'lost';
    expect(await world.api.get(pods, patient)).toMatchObject({ items: [{ metadata: { name: 'a' } }] });
    expect(await failureOf(world.api.get(`${pods}/a`, { timeoutMs: 300 }))).toMatchObject({ kind: 'timeout' });
    const ready = failureOf(world.api.get('/readyz', patient));
    await waitUntil(() => world.clock.nextAt() !== undefined);
    await world.clock.advance(2000);
    expect((await ready).message).toContain('[-]etcd failed: reason withheld');
  });
});

describe('what counts as work', () => {
  test('an answer until it is given, an event until it is written, no waiting', async () => {
    const world = await serve();
    const stop = new AbortController();
    const events = world.api.watch(pods, { resourceVersion: '1', signal: stop.signal })[Symbol.asyncIterator]();
    const first = events.next();
    await waitUntil(() => world.busy > 0);
    await waitUntil(() => world.busy === 0);
    world.store.create('pods', makePod('default', 'a'));
    expect(world.busy).toBe(1);
    expect((await first).value).toMatchObject({ type: 'ADDED' });
    await waitUntil(() => world.busy === 0);

    world.state.etcd = 'lost';
    const parked = failureOf(world.api.get(`${pods}/a`, { ...patient, signal: stop.signal }));
    await waitUntil(() => world.busy > 0);
    await waitUntil(() => world.busy === 0);
    stop.abort();
    await parked;
    await events.return?.();
    await world.front.close();
    await waitUntil(() => world.busy === 0);
  });
});
