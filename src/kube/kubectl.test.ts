import { describe, expect, test } from 'vitest';
import { type Engine, EngineError, type ExecRequest, type ExecResult } from '../docker/port.ts';
import { connectThroughNode } from './kubectl.ts';
import { KubeError, type WatchEvent } from './port.ts';

const patient = { timeoutMs: 20_000 };
const node = 'idp-mvp-control-plane';

function result(stdout: string, stderr = '', exitCode = 0): ExecResult {
  return { exitCode, stdout: Buffer.from(stdout), stderr: Buffer.from(stderr) };
}

/** An engine that can only exec, and records what it was asked. */
function makeEngine(exec: (request: ExecRequest) => Promise<ExecResult>) {
  const requests: ExecRequest[] = [];
  const refuse = () => Promise.reject(new EngineError('failed', 'not part of this test'));
  const engine: Engine = {
    endpoint: 'fake',
    attempts: [],
    info: refuse,
    listContainers: refuse,
    inspectContainer: refuse,
    startContainer: refuse,
    stopContainer: refuse,
    setRestartPolicy: refuse,
    getArchive: refuse,
    putArchive: refuse,
    inspectNetwork: refuse,
    events: () => {
      throw new EngineError('failed', 'not part of this test');
    },
    exec: (container, request) => {
      expect(container).toBe(node);
      requests.push(request);
      return exec(request);
    },
  };
  return { engine, requests };
}

function connect(exec: (request: ExecRequest) => Promise<ExecResult>) {
  const { engine, requests } = makeEngine(exec);
  return { api: connectThroughNode(engine, node), requests };
}

/** Never answers; rejects when aborted, as the port promises. */
function hang(request: ExecRequest): Promise<ExecResult> {
  return new Promise((_resolve, reject) => {
    request.signal?.addEventListener('abort', () => reject(new EngineError('failed', 'aborted')));
  });
}

async function failureOf(promise: Promise<unknown>): Promise<KubeError> {
  const error: unknown = await promise.then(
    () => new Error('it succeeded'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof KubeError)) throw error;
  return error;
}

test('reads raw paths with the node’s own credentials and a limit of its own', async () => {
  const { api, requests } = connect(async () => result('{"kind":"Node"}\n'));
  expect(await api.get('/api/v1/nodes/a', patient)).toEqual({ kind: 'Node' });
  expect(requests[0]?.argv).toEqual([
    'kubectl',
    '--kubeconfig=/etc/kubernetes/admin.conf',
    '--request-timeout=20000ms',
    'get',
    '--raw',
    '/api/v1/nodes/a',
  ]);
  expect(api).toMatchObject({ via: 'node', endpoint: `kubectl in ${node}` });
});

test('plain endpoints and logs stay text', async () => {
  const { api } = connect(async (request) => result(request.argv.at(-1) === '/readyz' ? 'ok' : '{"level":"info"}'));
  expect(await api.get('/readyz', patient)).toBe('ok');
  expect(await api.get('/api/v1/namespaces/a/pods/b/log', patient)).toBe('{"level":"info"}');
});

test('joins the pages of a list', async () => {
  const { api, requests } = connect(async (request) =>
    result(
      request.argv.at(-1)?.includes('continue=') === true
        ? '{"metadata":{},"items":[2]}'
        : '{"metadata":{"continue":"t"},"items":[1]}',
    ),
  );
  expect(await api.get('/api/v1/pods', patient)).toEqual({ metadata: {}, items: [1, 2] });
  expect(requests.map((request) => request.argv.at(-1))).toEqual([
    '/api/v1/pods?limit=500',
    '/api/v1/pods?limit=500&continue=t',
  ]);
});

test('dials another server where it is told to', async () => {
  const { engine, requests } = makeEngine(async () => result('ok'));
  await connectThroughNode(engine, node, { server: 'https://localhost:6443' }).get('/readyz', patient);
  expect(requests[0]?.argv).toContain('--server=https://localhost:6443');
});

describe('patching', () => {
  test.each([
    ['/api/v1/nodes/a', ['--', 'nodes.v1.', 'a']],
    ['/apis/apps/v1/namespaces/n/deployments/d', ['--namespace=n', '--', 'deployments.v1.apps', 'd']],
    ['/api/v1/namespaces/n/status', ['--subresource=status', '--', 'namespaces.v1.', 'n']],
  ])('%s', async (path, tail) => {
    const { api, requests } = connect(async () => result('{"patched":true}'));
    expect(await api.patch(path, 'strategic', { a: 'ü' }, patient)).toEqual({ patched: true });
    expect(requests[0]?.argv.slice(3)).toEqual([
      'patch',
      '--type=strategic',
      '--patch-file=/dev/stdin',
      '--output=json',
      ...tail,
    ]);
    expect(Buffer.from(requests[0]?.stdin ?? []).toString()).toBe('{"a":"ü"}');
  });

  test('parameters become flags, and one that has none is refused: a dry run must not change anything', async () => {
    const { api, requests } = connect(async () => result('{}'));
    await api.patch('/api/v1/nodes/a?dryRun=All&fieldManager=rekindle', 'merge', {}, patient);
    expect(requests[0]?.argv).toEqual(expect.arrayContaining(['--dry-run=server', '--field-manager=rekindle']));
    const refused = await failureOf(api.patch('/api/v1/nodes/a?fieldValidation=Strict', 'merge', {}, patient));
    expect(refused.message).toContain('fieldValidation');
    expect(requests).toHaveLength(1);
  });

  test('what names no object is refused without asking', async () => {
    const { api, requests } = connect(async () => result(''));
    expect((await failureOf(api.patch('/api/v1/nodes', 'merge', {}, patient))).kind).toBe('failed');
    expect((await failureOf(api.get('--help', patient))).kind).toBe('failed');
    expect(requests).toEqual([]);
  });
});

test('deletes with a precondition on standard input', async () => {
  const { api, requests } = connect(async () => result('{}'));
  await api.delete('/api/v1/namespaces/n/pods/p', { ...patient, preconditionUid: 'u-1' });
  expect(requests[0]?.argv.slice(3)).toEqual(['delete', '--raw', '/api/v1/namespaces/n/pods/p', '--filename=-']);
  expect(JSON.parse(Buffer.from(requests[0]?.stdin ?? []).toString())).toMatchObject({ preconditions: { uid: 'u-1' } });
});

describe('what kubectl says', () => {
  test.each([
    ['Error from server (NotFound): pods "x" not found', 'not-found', 404],
    ['error: You must be logged in to the server (Unauthorized)', 'unauthorized', 401],
    ['Error from server (Forbidden): nodes is forbidden', 'unauthorized', 403],
    [
      'Error from server (Conflict): Precondition failed: UID in precondition: a, UID in object meta: b',
      'conflict',
      409,
    ],
    ['Error from server (InternalError): an error on the server ("[-]etcd failed") …', 'failed', 500],
    ['Error from server (Timeout): the server was unable to return a response in the time allotted', 'timeout', 504],
    ['error: the server doesn\'t have a resource type "x"', 'not-found', 404],
    ['The connection to the server a:6443 was refused - did you specify the right host or port?', 'unreachable', 0],
    ['Unable to connect to the server: EOF', 'unreachable', 0],
    [
      'Unable to connect to the server: tls: failed to verify certificate: x509: certificate has expired',
      'unreachable',
      0,
    ],
    ['Unable to connect to the server: net/http: TLS handshake timeout', 'timeout', 0],
    ['Unable to connect to the server: context deadline exceeded', 'timeout', 0],
    ['error: stat /etc/kubernetes/admin.conf: no such file or directory', 'unreachable', 0],
    ['error: unknown flag: --raw', 'failed', 0],
  ])('%s', async (stderr, kind, status) => {
    const noise = 'E1130 18:20:01.123456     12 memcache.go:265] "Unhandled Error" err="timeout"\n';
    const { api } = connect(async () => result('', `${noise}${stderr}\n`, 1));
    const error = await failureOf(api.get('/api/v1/nodes/x', patient));
    expect(error).toMatchObject({ kind, status });
    expect(error.message).toContain(stderr);
    expect(error.message).not.toContain('memcache');
  });

  test('key material that client-go prints is left out', async () => {
    const key = 'LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQpNSUlFb3dJQkFBS0NBUUVBd2Yw';
    const bytes = Array.from(key, (letter) => letter.charCodeAt(0)).join(' ');
    const said = `error converting *[]NamedAuthInfo: duplicate name "a" in list: [{a {${key} [${bytes}]}}]`;
    const { api } = connect(async () => result('', said, 1));
    const { message } = await failureOf(api.get('/readyz', patient));
    expect(message).toContain('duplicate name "a" in list: [{a {… […]}}]');
  });

  test('a node without kubectl', async () => {
    const { api } = connect(async () => result('', '', 127));
    const error = await failureOf(api.get('/readyz', patient));
    expect(error.kind).toBe('unreachable');
    expect(error.message).toContain('no kubectl');
  });
});

test.each([
  ['timeout', 'timeout'],
  ['conflict', 'unreachable'],
  ['unreachable', 'unreachable'],
] as const)('an engine that fails with %s makes it %s', async (engineKind, kind) => {
  const { api } = connect(async () => {
    throw new EngineError(engineKind, 'container is not running');
  });
  const error = await failureOf(api.get('/readyz', patient));
  expect(error.kind).toBe(kind);
  expect(error.message).toContain('container is not running');
});

test('gives up in time where nothing is answered, even if the engine ignores it', async () => {
  const { api, requests } = connect(() => new Promise(() => {}));
  expect((await failureOf(api.get('/readyz', { timeoutMs: 50 }))).kind).toBe('timeout');
  expect(requests[0]?.signal?.aborted).toBe(true);
});

describe('watching', () => {
  const options = () => ({ resourceVersion: '5', signal: new AbortController().signal });

  async function collect(events: AsyncIterable<WatchEvent>, onEvent: () => void = () => {}) {
    const seen: WatchEvent[] = [];
    for await (const event of events) {
      seen.push(event);
      onEvent();
    }
    return seen;
  }

  test('gives events as the output comes, cut anywhere, until kubectl ends', async () => {
    const text = '{"type":"ADDED","object":"ä"}\n{"type":"DELETED","object":2}\n{"type":"ADD';
    const { api, requests } = connect(async (request) => {
      for (const byte of Buffer.from(text)) {
        request.onStdout?.(Buffer.of(byte));
        await Promise.resolve();
      }
      return result(text, 'error: unexpected EOF', 1);
    });
    expect(await collect(api.watch('/api/v1/pods', options()))).toEqual([
      { type: 'ADDED', object: 'ä' },
      { type: 'DELETED', object: 2 },
    ]);
    expect(requests[0]?.argv).toContain('--request-timeout=0ms');
    expect(requests[0]?.argv.at(-1)).toBe(
      '/api/v1/pods?watch=1&allowWatchBookmarks=true&resourceVersion=5&timeoutSeconds=300',
    );
  });

  test('ends when aborted, and stops the command', async () => {
    const abort = new AbortController();
    const { api, requests } = connect((request) => {
      request.onStdout?.(Buffer.from('{"type":"ADDED","object":1}\n'));
      return hang(request);
    });
    const events = api.watch('/api/v1/pods', { resourceVersion: '5', signal: abort.signal });
    expect(await collect(events, () => abort.abort())).toHaveLength(1);
    expect(requests[0]?.signal?.aborted).toBe(true);
  });

  test('stops the command when the reader stops', async () => {
    const { api, requests } = connect((request) => {
      request.onStdout?.(Buffer.from('{"type":"ADDED","object":1}\n{"type":"ADDED","object":2}\n'));
      return hang(request);
    });
    for await (const event of api.watch('/api/v1/pods', options())) {
      expect(event.object).toBe(1);
      break;
    }
    expect(requests[0]?.signal?.aborted).toBe(true);
  });

  test('fails where it cannot begin', async () => {
    const { api } = connect(async () => result('', 'Unable to connect to the server: EOF', 1));
    expect((await failureOf(collect(api.watch('/api/v1/pods', options())))).kind).toBe('unreachable');
    const broken = connect(async () => {
      throw new EngineError('conflict', 'not running');
    });
    expect((await failureOf(collect(broken.api.watch('/api/v1/pods', options())))).kind).toBe('unreachable');
  });
});
