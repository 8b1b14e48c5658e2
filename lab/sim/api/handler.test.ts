import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../contracts.ts';
import { makePod, makeTestServer, type TestServer } from './testing/server.ts';

const pods = '/api/v1/namespaces/default/pods';
const table = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';

interface Listed {
  readonly kind: string;
  readonly metadata: {
    readonly resourceVersion: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items: readonly KubeObject[];
}

function makeServer(surroundings: Parameters<typeof makeTestServer>[0] = {}): TestServer {
  const server = makeTestServer(surroundings);
  server.store.create('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } });
  return server;
}

async function listNames(server: TestServer, path: string): Promise<string[]> {
  const { json } = await server.ask('GET', path);
  return (json as Listed).items.map(({ metadata }) => metadata.name);
}

describe('lists', () => {
  test('say what they are and from when', async () => {
    const server = makeServer();
    server.store.create('pods', makePod('default', 'a'));
    const { json } = await server.ask('GET', '/api/v1/pods');
    expect(json).toMatchObject({
      kind: 'PodList',
      apiVersion: 'v1',
      metadata: { resourceVersion: String(server.store.revision) },
      items: [{ metadata: { name: 'a' } }],
    });
    expect((json as Listed).items[0]).not.toHaveProperty('kind');
    const leases = await server.ask('GET', '/apis/coordination.k8s.io/v1/leases');
    expect(leases.json).toMatchObject({ kind: 'LeaseList', apiVersion: 'coordination.k8s.io/v1', items: [] });
  });

  test.each([
    ['labelSelector=app%3Dweb', ['a', 'b']],
    ['labelSelector=app%3Dweb,tier!%3Dx', ['a']],
    ['labelSelector=app+in+(db,cache)', ['c']],
    ['labelSelector=app+notin+(web)', ['c', 'd']],
    ['labelSelector=tier', ['b']],
    ['labelSelector=!app', ['d']],
    ['fieldSelector=spec.nodeName%3Dn2', ['b']],
    ['fieldSelector=status.phase!%3DRunning', ['d']],
    ['fieldSelector=metadata.name%3Dc,metadata.namespace%3Ddefault', ['c']],
    ['labelSelector=app%3Dweb&fieldSelector=spec.nodeName%3Dn1', ['a']],
  ])('select by %s', async (query, names) => {
    const server = makeServer();
    server.store.create('pods', makePod('default', 'a', { labels: { app: 'web' }, node: 'n1' }));
    server.store.create('pods', makePod('default', 'b', { labels: { app: 'web', tier: 'x' }, node: 'n2' }));
    server.store.create('pods', makePod('default', 'c', { labels: { app: 'db' }, node: 'n1' }));
    server.store.create('pods', makePod('default', 'd', { node: 'n1', phase: 'Pending' }));
    expect(await listNames(server, `/api/v1/pods?${query}`)).toEqual(names);
  });

  test('refuse a field that cannot be selected by', async () => {
    const answer = await makeServer().ask('GET', '/api/v1/pods?fieldSelector=spec.colour%3Dred');
    expect(answer).toMatchObject({ status: 400, json: { message: 'field label not supported: spec.colour' } });
  });

  test('come in pages of one moment, whatever happens between them', async () => {
    const server = makeServer();
    for (const name of ['a', 'b', 'c', 'd']) server.store.create('pods', makePod('default', name));
    const first = (await server.ask('GET', `${pods}?limit=2`)).json as Listed;
    expect(first.metadata.remainingItemCount).toBe(2);
    server.store.remove('pods', 'default', 'c');
    server.store.create('pods', makePod('default', 'bb'));
    server.store.update('pods', makePod('default', 'd', { phase: 'Failed' }));
    const second = (await server.ask('GET', `${pods}?limit=2&continue=${first.metadata.continue ?? ''}`))
      .json as Listed;
    expect(second.items.map(({ metadata, status }) => [metadata.name, status])).toEqual([
      ['c', { phase: 'Running' }],
      ['d', { phase: 'Running' }],
    ]);
    expect(second.metadata).toEqual({ resourceVersion: first.metadata.resourceVersion });
  });

  test('a page of a moment that is forgotten is refused', async () => {
    const server = makeServer({ historyLimit: 2 });
    for (const name of ['a', 'b', 'c']) server.store.create('pods', makePod('default', name));
    const first = (await server.ask('GET', `${pods}?limit=1`)).json as Listed;
    for (const name of ['d', 'e', 'f', 'g']) server.store.create('pods', makePod('default', name));
    const second = await server.ask('GET', `${pods}?limit=1&continue=${first.metadata.continue ?? ''}`);
    expect(second).toMatchObject({ status: 410, json: { kind: 'Status', reason: 'Expired' } });
  });
});

describe('failures are Status documents in the real server’s words', () => {
  test.each([
    ['GET', `${pods}/gone`, undefined, 404, 'NotFound', 'pods "gone" not found'],
    ['GET', '/apis/apps/v1/namespaces/x/deployments/y', undefined, 404, 'NotFound', 'deployments.apps "y" not found'],
    ['POST', pods, makePod('default', 'a'), 409, 'AlreadyExists', 'pods "a" already exists'],
    ['POST', '/api/v1/namespaces/x/pods', makePod('x', 'a'), 404, 'NotFound', 'namespaces "x" not found'],
    ['PUT', `${pods}/a`, { metadata: { resourceVersion: '1' } }, 409, 'Conflict', 'the object has been modified'],
    ['DELETE', `${pods}/a`, { preconditions: { uid: 'u-1' } }, 409, 'Conflict', 'UID in precondition: u-1'],
    ['PATCH', `${pods}/a`, {}, 415, 'UnsupportedMediaType', 'unknown format'],
    ['PATCH', pods, {}, 405, 'MethodNotAllowed', 'does not allow this method'],
    ['POST', pods, '{"a":', 400, 'BadRequest', 'decoding'],
  ])('%s %s', async (method, path, body, status, reason, message) => {
    const server = makeServer();
    server.store.create('pods', makePod('default', 'a'));
    const answer = await server.ask(method, path, { body });
    expect(answer).toMatchObject({ status, json: { kind: 'Status', status: 'Failure', reason, code: status } });
    expect(answer.text).toContain(message.replaceAll('"', '\\"'));
  });

  test('a path that is not served', async () => {
    const server = makeServer();
    for (const path of ['/nope', '/api/v1/unicorns', '/apis/nope/v1/x', `${pods}/a/exec`]) {
      expect(await server.ask('GET', path)).toMatchObject({ status: 404, text: '404 page not found\n' });
    }
  });
});

describe('patches', () => {
  test.each([
    ['json', [{ op: 'add', path: '/metadata/labels/a', value: 'b' }]],
    ['merge', { metadata: { labels: { a: 'b' } } }],
    ['strategic-merge', { metadata: { labels: { a: 'b' } } }],
  ])('%s', async (type, body) => {
    const server = makeServer();
    const pod = server.store.create('pods', makePod('default', 'a', { labels: { x: 'y' } }));
    const answer = await server.ask('PATCH', `${pods}/a`, { body, type: `application/${type}-patch+json` });
    expect(answer).toMatchObject({ status: 200, json: { metadata: { labels: { a: 'b', x: 'y' } } } });
    const stored = server.store.get('pods', 'default', 'a');
    expect(stored?.metadata.labels).toEqual({ a: 'b', x: 'y' });
    expect(stored?.metadata.uid).toBe(pod.metadata.uid);
  });

  test('that do not fit leave everything as it is', async () => {
    const server = makeServer();
    const pod = server.store.create('pods', makePod('default', 'a'));
    const body = [{ op: 'test', path: '/metadata/name', value: 'b' }];
    const answer = await server.ask('PATCH', `${pods}/a`, { body, type: 'application/json-patch+json' });
    expect(answer).toMatchObject({ status: 422, json: { reason: 'Invalid' } });
    expect(server.store.get('pods', 'default', 'a')).toBe(pod);
  });

  test('reach the status by its own path only, and nothing on a dry run', async () => {
    const server = makeServer();
    server.store.create('pods', makePod('default', 'a'));
    const patch = { body: { status: { phase: 'Failed' } }, type: 'application/merge-patch+json' };
    const readPhase = () => server.store.get('pods', 'default', 'a')?.status;
    await server.ask('PATCH', `${pods}/a`, patch);
    expect(readPhase()).toEqual({ phase: 'Running' });
    await server.ask('PATCH', `${pods}/a/status?dryRun=All`, patch);
    expect(readPhase()).toEqual({ phase: 'Running' });
    await server.ask('PATCH', `${pods}/a/status`, patch);
    expect(readPhase()).toEqual({ phase: 'Failed' });
  });

  test('scale', async () => {
    const server = makeServer();
    server.store.create('deployments.apps', {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { namespace: 'default', name: 'web' },
      spec: { replicas: 1, selector: { matchLabels: { app: 'web' } } },
    });
    const path = '/apis/apps/v1/namespaces/default/deployments/web/scale';
    expect((await server.ask('GET', path)).json).toMatchObject({ kind: 'Scale', status: { selector: 'app=web' } });
    await server.ask('PATCH', path, { body: { spec: { replicas: 3 } }, type: 'application/merge-patch+json' });
    expect(server.store.get('deployments.apps', 'default', 'web')).toMatchObject({
      spec: { replicas: 3, selector: { matchLabels: { app: 'web' } } },
      metadata: { generation: 2 },
    });
  });
});

describe('deletion', () => {
  test('of a pod on a node gives it time; without grace it is gone at once', async () => {
    const server = makeServer();
    server.store.create('pods', makePod('default', 'a'));
    await server.ask('DELETE', `${pods}/a`);
    expect(server.store.get('pods', 'default', 'a')?.metadata).toMatchObject({
      deletionTimestamp: '2026-01-01T00:00:30Z',
      deletionGracePeriodSeconds: 30,
    });
    await server.ask('DELETE', `${pods}/a`, { body: { gracePeriodSeconds: 0 } });
    expect(server.store.get('pods', 'default', 'a')).toBeUndefined();
  });

  test('of a pod that no kubelet runs, as the caller says, needs no time', async () => {
    const server = makeServer({ surroundings: { isPodGoneAtOnce: ({ metadata }) => metadata.name === 'b' } });
    server.store.create('pods', makePod('default', 'a', { node: '' }));
    server.store.create('pods', makePod('default', 'b'));
    await server.ask('DELETE', pods);
    expect(server.store.list('pods').map(({ metadata }) => metadata.name)).toEqual(['a']);
  });

  test('waits for finalizers', async () => {
    const server = makeServer();
    const path = '/api/v1/namespaces/default/configmaps/a';
    server.store.create('configmaps', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: 'default', name: 'a', finalizers: ['x/y'] },
    });
    await server.ask('DELETE', path);
    expect(server.store.get('configmaps', 'default', 'a')?.metadata.deletionTimestamp).toBeDefined();
    const patch = { body: { metadata: { finalizers: null } }, type: 'application/merge-patch+json' };
    await server.ask('PATCH', path, patch);
    expect(server.store.get('configmaps', 'default', 'a')).toBeUndefined();
  });
});

describe('watches', () => {
  const listen = async (server: TestServer, query: string, act: () => void) => {
    const asked = server.ask('GET', `${pods}?watch=1&timeoutSeconds=100&${query}`);
    await Promise.resolve();
    act();
    await server.clock.advance(100_000);
    const { text } = await asked;
    const events = text.split('\n').filter((line) => line !== '');
    return events.map((line) => JSON.parse(line) as { type: string; object: KubeObject });
  };

  test('tell of what comes into a selection and what leaves it', async () => {
    const server = makeServer();
    server.store.create('pods', makePod('default', 'a', { labels: { app: 'web' } }));
    const query = `labelSelector=app%3Dweb&resourceVersion=${server.store.revision}`;
    const events = await listen(server, query, () => {
      server.store.create('pods', makePod('default', 'b'));
      server.store.create('pods', makePod('other', 'c', { labels: { app: 'web' } }));
      server.store.update('pods', makePod('default', 'b', { labels: { app: 'web' } }));
      server.store.update('pods', makePod('default', 'b', { labels: { app: 'web' }, phase: 'Failed' }));
      server.store.update('pods', makePod('default', 'a'));
      server.store.remove('pods', 'default', 'b');
    });
    expect(events.map(({ type, object }) => `${type} ${object.metadata.name}`)).toEqual([
      'ADDED b',
      'MODIFIED b',
      'DELETED a',
      'DELETED b',
    ]);
  });

  test('begin with everything where no revision is given; bookmarks come once a minute', async () => {
    const server = makeServer();
    server.store.create('pods', makePod('default', 'a'));
    const events = await listen(server, 'allowWatchBookmarks=true', () => {});
    expect(events.map(({ type }) => type)).toEqual(['ADDED', 'BOOKMARK']);
    expect(events[1]?.object.metadata.resourceVersion).toBe(String(server.store.revision));
  });

  test('say so where their revision is forgotten', async () => {
    const server = makeServer({ historyLimit: 1 });
    for (const name of ['a', 'b', 'c']) server.store.create('pods', makePod('default', name));
    const events = await listen(server, 'resourceVersion=1', () => {});
    expect(events).toMatchObject([{ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } }]);
  });
});

describe('health', () => {
  test('is “ok”, and a list of checks where asked for', async () => {
    const server = makeServer();
    expect(await server.ask('GET', '/readyz')).toMatchObject({ status: 200, text: 'ok' });
    const { text } = await server.ask('GET', '/readyz?verbose');
    expect(text).toContain('[+]ping ok\n[+]log ok\n[+]etcd ok\n');
    expect(text).toMatch(/readyz check passed\n$/);
  });

  test('names what a starting server waits for', async () => {
    const server = makeServer();
    server.state.unready = ['poststarthook/rbac/bootstrap-roles'];
    const { status, text } = await server.ask('GET', '/readyz');
    expect(status).toBe(500);
    expect(text).toContain('[-]poststarthook/rbac/bootstrap-roles failed: reason withheld\n');
    expect(text).toMatch(/readyz check failed\n$/);
  });
});

describe('an etcd that is lost', () => {
  test('fails the health checks after two seconds', async () => {
    const server = makeServer();
    server.state.etcd = 'lost';
    const asked = server.ask('GET', '/readyz');
    await server.clock.advance(2000);
    const { status, text } = await asked;
    expect(status).toBe(500);
    expect(text).toContain('[-]etcd failed: reason withheld\n[-]etcd-readiness failed: reason withheld\n');
    expect(await server.ask('GET', '/livez?exclude=etcd')).toMatchObject({ status: 200 });
  });

  test('leaves lists, and lets nothing else be answered until the caller gives up', async () => {
    const server = makeServer();
    server.store.create('pods', makePod('default', 'a'));
    server.state.etcd = 'lost';
    expect(await listNames(server, pods)).toEqual(['a']);
    for (const [method, path] of [
      ['GET', `${pods}/a`],
      ['DELETE', `${pods}/a`],
      ['POST', pods],
    ] as const) {
      const giveUp = new AbortController();
      let answered = false;
      const asked = server.ask(method, path, { signal: giveUp.signal }).finally(() => {
        answered = true;
      });
      await server.clock.advance(3_600_000);
      expect(answered).toBe(false);
      giveUp.abort(new Error('enough'));
      await expect(asked).rejects.toThrow('enough');
    }
    expect(server.store.get('pods', 'default', 'a')?.metadata.deletionTimestamp).toBeUndefined();
  });
});

describe('for kubectl', () => {
  test('discovery', async () => {
    const server = makeServer();
    expect((await server.ask('GET', '/api')).json).toMatchObject({ kind: 'APIVersions', versions: ['v1'] });
    const groups = (await server.ask('GET', '/apis')).json as { groups: { name: string }[] };
    for (const { name } of groups.groups) {
      expect((await server.ask('GET', `/apis/${name}/v1`)).json).toMatchObject({ kind: 'APIResourceList' });
    }
    const core = (await server.ask('GET', '/api/v1')).json as { resources: { name: string; kind: string }[] };
    expect(core.resources).toContainEqual(expect.objectContaining({ name: 'pods/log', kind: 'Pod' }));
    expect((await server.ask('GET', '/version')).json).toMatchObject({ gitVersion: 'v1.34.4', minor: '34' });
  });

  test('what `apply` looks up before it patches', async () => {
    const server = makeServer();
    const root = (await server.ask('GET', '/openapi/v3')).json as {
      paths: Record<string, { serverRelativeURL: string }>;
    };
    const apps = (await server.ask('GET', root.paths['apis/apps/v1']?.serverRelativeURL ?? '')).json;
    expect(apps).toMatchObject({
      paths: {
        '/apis/apps/v1/namespaces/{namespace}/deployments/{name}': {
          patch: { 'x-kubernetes-group-version-kind': { group: 'apps', version: 'v1', kind: 'Deployment' } },
        },
      },
    });
  });

  test('tables with its columns, and ages by the world’s clock', async () => {
    const server = makeServer();
    server.store.create('pods', {
      ...makePod('default', 'a'),
      status: {
        phase: 'Running',
        podIP: '10.244.0.2',
        containerStatuses: [
          {
            restartCount: 6,
            ready: false,
            state: { waiting: { reason: 'CrashLoopBackOff' } },
            lastState: { terminated: { finishedAt: '2026-01-01T00:09:46Z' } },
          },
        ],
      },
    });
    await server.clock.advance(600_000);
    const { json } = await server.ask('GET', pods, { accept: table });
    expect(json).toMatchObject({
      kind: 'Table',
      rows: [
        {
          cells: [
            'a',
            '0/1',
            'CrashLoopBackOff',
            '6 (14s ago)',
            '10m',
            '10.244.0.2',
            'idp-mvp-worker',
            '<none>',
            '<none>',
          ],
          object: { kind: 'PartialObjectMetadata', metadata: { name: 'a' } },
        },
      ],
    });
  });

  test('logs', async () => {
    const server = makeServer({
      surroundings: { readLog: (_pod, { previous }) => (previous ? undefined : ['one', 'two', 'three']) },
    });
    server.store.create('pods', makePod('default', 'a'));
    expect((await server.ask('GET', `${pods}/a/log?tailLines=2`)).text).toBe('two\nthree\n');
    expect(await server.ask('GET', `${pods}/a/log?container=other`)).toMatchObject({ status: 400 });
    expect(await server.ask('GET', `${pods}/a/log?previous=true`)).toMatchObject({ status: 500 });
  });
});
