import type { IncomingMessage, RequestListener } from 'node:http';
import * as https from 'node:https';
import * as net from 'node:net';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  type Authority,
  type CertificateRequest,
  type IssuedCertificate,
  issueCertificate,
  makeAuthority,
} from '../pki/testing/issue.ts';
import { connectThroughPort } from './https.ts';
import { type KubeApi, KubeError, type WatchEvent } from './port.ts';

let ca: Authority;
let client: IssuedCertificate;
let serverCertificate: IssuedCertificate;

beforeAll(async () => {
  ca = await makeAuthority();
  client = await issueCertificate({ ca, commonName: 'kubernetes-admin', organization: 'system:masters' });
  serverCertificate = await issueServer({});
});

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

const quick = { timeoutMs: 1000 };
const patient = { timeoutMs: 20_000 };

function issueServer(request: Partial<CertificateRequest>): Promise<IssuedCertificate> {
  return issueCertificate({ ca, commonName: 'kube-apiserver', ipAddresses: ['127.0.0.1'], ...request });
}

async function listen(server: net.Server): Promise<number> {
  const sockets = new Set<net.Socket>();
  server.on('connection', (socket: net.Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
  });
  closers.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function dial(port: number, servername?: string): KubeApi {
  return connectThroughPort({
    server: `https://127.0.0.1:${port}`,
    credentials: {
      certificateAuthority: ca.certificatePem,
      clientCertificate: client.certificatePem,
      clientKey: client.privateKeyPem,
    },
    ...(servername === undefined ? {} : { servername }),
  });
}

async function serve(
  listener: RequestListener,
  certificate = serverCertificate,
): Promise<{ api: KubeApi; port: number }> {
  const options = {
    cert: certificate.certificatePem,
    key: certificate.privateKeyPem,
    ca: ca.certificatePem,
    requestCert: true,
  };
  const port = await listen(https.createServer(options, listener));
  return { api: dial(port), port };
}

function answerJson(status: number, value: unknown): RequestListener {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(value));
  };
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString());
}

async function failureOf(promise: Promise<unknown>): Promise<KubeError> {
  const error: unknown = await promise.then(
    () => new Error('it succeeded'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof KubeError)) throw error;
  return error;
}

describe('reading', () => {
  test('presents the client certificate and gives an object, or text', async () => {
    const { api, port } = await serve((request, response) => {
      if (request.url === '/readyz') response.end('ok');
      else
        answerJson(200, { user: (request.socket as import('node:tls').TLSSocket).getPeerCertificate().subject.CN })(
          request,
          response,
        );
    });
    expect(await api.get('/version', patient)).toEqual({ user: 'kubernetes-admin' });
    expect(await api.get('/readyz', patient)).toBe('ok');
    expect(api).toMatchObject({ via: 'published-port', endpoint: `https://127.0.0.1:${port}` });
  });

  test('fetches a list in pages and joins them', async () => {
    const urls: URL[] = [];
    const { api } = await serve((request, response) => {
      const url = new URL(request.url ?? '', 'https://x');
      urls.push(url);
      const token = url.searchParams.get('continue');
      const page =
        token === null
          ? { metadata: { resourceVersion: '7', continue: 'a/b=', remainingItemCount: 1 }, items: [1, 2] }
          : { metadata: { resourceVersion: '7' }, items: [3] };
      answerJson(200, { kind: 'PodList', ...page })(request, response);
    });
    const list = await api.get('/api/v1/pods?fieldSelector=x&resourceVersion=7', patient);
    expect(list).toEqual({ kind: 'PodList', metadata: { resourceVersion: '7' }, items: [1, 2, 3] });
    expect(urls.map((url) => Object.fromEntries(url.searchParams))).toEqual([
      { fieldSelector: 'x', resourceVersion: '7', limit: '500' },
      { fieldSelector: 'x', limit: '500', continue: 'a/b=' },
    ]);
  });

  test('fetches the whole list where the snapshot of the pages has expired', async () => {
    const { api } = await serve((request, response) => {
      const query = new URL(request.url ?? '', 'https://x').searchParams;
      if (query.has('continue')) answerJson(410, { message: 'expired' })(request, response);
      else if (query.has('limit')) answerJson(200, { metadata: { continue: 'x' }, items: [1] })(request, response);
      else answerJson(200, { metadata: {}, items: [1, 2, 3] })(request, response);
    });
    expect(await api.get('/api/v1/pods', patient)).toEqual({ metadata: {}, items: [1, 2, 3] });
  });

  test('leaves objects, and lists with a limit of their own, alone', async () => {
    const { api } = await serve((request, response) =>
      answerJson(200, { url: request.url, items: [] })(request, response),
    );
    expect(await api.get('/api/v1/namespaces/a', patient)).toMatchObject({ url: '/api/v1/namespaces/a' });
    expect(await api.get('/api/v1/pods?limit=1', patient)).toMatchObject({ url: '/api/v1/pods?limit=1' });
  });

  test('a kept connection that the server has closed meanwhile is no failure', async () => {
    let answered = 0;
    const { api } = await serve((request, response) => {
      const socket = request.socket;
      const first = answered++ === 0;
      answerJson(200, {})(request, response);
      // The next request on this connection meets a closed door, as after an idle time-out.
      if (first) response.on('finish', () => socket.on('data', () => socket.destroy()));
    });
    await api.get('/version', patient);
    expect(await api.get('/version', patient)).toEqual({});
  });
});

describe('writing', () => {
  test.each([
    ['merge', 'application/merge-patch+json'],
    ['json', 'application/json-patch+json'],
    ['strategic', 'application/strategic-merge-patch+json'],
  ] as const)('a %s patch', async (type, contentType) => {
    const { api } = await serve(async (request, response) => {
      const body = await readBody(request);
      answerJson(200, { method: request.method, type: request.headers['content-type'], body })(request, response);
    });
    expect(await api.patch('/api/v1/nodes/a', type, { spec: 'ä' }, patient)).toEqual({
      method: 'PATCH',
      type: contentType,
      body: { spec: 'ä' },
    });
  });

  test('deletes with a precondition, and a missing object is not-found', async () => {
    const bodies: unknown[] = [];
    const { api } = await serve(async (request, response) => {
      bodies.push(await readBody(request));
      if (request.url?.endsWith('/gone') === true)
        answerJson(404, { message: 'pods "gone" not found' })(request, response);
      else answerJson(200, {})(request, response);
    });
    const pod = '/api/v1/namespaces/a/pods';
    await api.delete(`${pod}/b`, { ...patient, preconditionUid: 'u-1' });
    const missing = await failureOf(api.delete(`${pod}/gone`, patient));
    expect(missing).toMatchObject({ kind: 'not-found', status: 404 });
    expect(missing.message).toContain('pods "gone" not found');
    expect(bodies).toEqual([
      { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid: 'u-1' } },
      { apiVersion: 'v1', kind: 'DeleteOptions' },
    ]);
  });
});

describe('answers that are failures', () => {
  test.each([
    [401, 'unauthorized'],
    [403, 'unauthorized'],
    [404, 'not-found'],
    [409, 'conflict'],
    [500, 'failed'],
    [504, 'timeout'],
  ])('%i is %s', async (status, kind) => {
    const { api } = await serve(answerJson(status, { kind: 'Status', message: 'because' }));
    const error = await failureOf(api.get('/api/v1/nodes', patient));
    expect(error).toMatchObject({ kind, status });
    expect(error.message).toContain('because');
  });

  test('the lines of a health endpoint are kept', async () => {
    const { api } = await serve((_request, response) => {
      response.writeHead(500, { 'content-type': 'text/plain' }).end('[+]ping ok\n[-]etcd failed: reason withheld\n');
    });
    expect((await failureOf(api.get('/readyz?verbose', patient))).message).toContain('[-]etcd failed');
  });

  test('JSON that is none', async () => {
    const { api } = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"a":');
    });
    expect(await failureOf(api.get('/version', patient))).toMatchObject({ kind: 'failed' });
  });
});

describe('time-outs', () => {
  test('a server that accepts and says nothing at all', async () => {
    const port = await listen(net.createServer());
    const error = await failureOf(dial(port).get('/version', quick));
    expect(error.kind).toBe('timeout');
    expect(error.message).toContain('TLS was not answered');
  });

  test('a server that speaks TLS and then says nothing', async () => {
    const { api } = await serve(() => {});
    const error = await failureOf(api.get('/version', { timeoutMs: 2000 }));
    expect(error.kind).toBe('timeout');
    expect(error.message).toContain('connected and says nothing');
  });

  test('a server that stops in the middle of an answer', async () => {
    const { api } = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"items":[');
    });
    expect(await failureOf(api.get('/version', { timeoutMs: 2000 }))).toMatchObject({ kind: 'timeout' });
  });

  test('the caller’s abort is told apart', async () => {
    const abort = new AbortController();
    const { api } = await serve(() => abort.abort());
    const error = await failureOf(api.get('/version', { ...patient, signal: abort.signal }));
    expect(error.message).toContain('aborted');
    expect(await failureOf(api.get('/version', { ...patient, signal: abort.signal }))).toMatchObject({
      kind: 'failed',
    });
  });
});

describe('unreachable, and why', () => {
  async function whyUnreachable(api: KubeApi): Promise<string> {
    const error = await failureOf(api.get('/version', patient));
    expect(error.kind).toBe('unreachable');
    return error.message;
  }

  test('nothing listens', async () => {
    const server = net.createServer();
    const port = await listen(server);
    await new Promise((resolve) => server.close(resolve));
    expect(await whyUnreachable(dial(port))).toContain('refuses connections');
  });

  test('closed before TLS, as by a port whose container is not up', async () => {
    const port = await listen(net.createServer((socket) => socket.destroy()));
    expect(await whyUnreachable(dial(port))).toContain('closed the connection before TLS');
  });

  test('reset in the middle of an answer', async () => {
    const { api } = await serve((request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"items":[', () => request.socket.destroy());
    });
    expect(await whyUnreachable(api)).toContain('before its answer was complete');
  });

  test('no TLS', async () => {
    const port = await listen(net.createServer((socket) => socket.end('HTTP/1.0 400 Bad Request\r\n\r\n')));
    expect(await whyUnreachable(dial(port))).toContain('does not agree on TLS');
  });

  test('a certificate of another authority', async () => {
    const other = await makeAuthority({ commonName: 'kubernetes' });
    const { api } = await serve(() => {}, await issueServer({ ca: other }));
    expect(await whyUnreachable(api)).toContain('authority');
  });

  test('an expired certificate', async () => {
    const dates = { notBefore: new Date('2020-01-01T00:00:00Z'), notAfter: new Date('2021-01-01T00:00:00Z') };
    const { api } = await serve(() => {}, await issueServer(dates));
    expect(await whyUnreachable(api)).toContain('expired');
  });

  test('a certificate for other addresses; checked against a name it carries, it is good', async () => {
    const names = { dnsNames: ['idp-mvp-control-plane'], ipAddresses: ['172.18.0.9'] };
    const { api, port } = await serve(answerJson(200, {}), await issueServer(names));
    const reason = await whyUnreachable(api);
    expect(reason).toContain('not valid for the address');
    expect(reason).toContain('127.0.0.1');
    expect(await dial(port, 'idp-mvp-control-plane').get('/version', patient)).toEqual({});
    expect(await dial(port, '172.18.0.9').get('/version', patient)).toEqual({});
    expect(await whyUnreachable(dial(port, 'other'))).toContain('other');
  });
});

test('credentials that are damaged are named, and not repeated', async () => {
  const api = connectThroughPort({
    server: 'https://127.0.0.1:1',
    credentials: {
      certificateAuthority: ca.certificatePem,
      clientCertificate: client.certificatePem,
      clientKey: 'secret',
    },
  });
  const error = await failureOf(api.get('/version', patient));
  expect(error.message).toContain('credentials');
  expect(error.message).not.toContain('secret');
});

describe('watching', () => {
  const path = '/api/v1/pods?fieldSelector=a';

  async function collect(events: AsyncIterable<WatchEvent>, onEvent: (event: WatchEvent) => void = () => {}) {
    const seen: WatchEvent[] = [];
    for await (const event of events) {
      seen.push(event);
      onEvent(event);
    }
    return seen;
  }

  test('gives the events however their bytes are cut, and ends when the server closes', async () => {
    const events = [
      { type: 'ADDED', object: { name: 'käse' } },
      { type: 'BOOKMARK', object: { metadata: { resourceVersion: '9' } } },
      { type: 'ERROR', object: { code: 410 } },
    ];
    let query: URLSearchParams | undefined;
    const { api } = await serve(async (request, response) => {
      query = new URL(request.url ?? '', 'https://x').searchParams;
      response.writeHead(200, { 'content-type': 'application/json' });
      const bytes = Buffer.from(events.map((event) => `${JSON.stringify(event)}\n`).join(''));
      for (const byte of bytes) await new Promise((resolve) => response.write(Buffer.of(byte), resolve));
      response.end('{"type":"ADD');
    });
    const seen = await collect(api.watch(path, { resourceVersion: '5', signal: new AbortController().signal }));
    expect(seen).toEqual(events);
    expect(Object.fromEntries(query ?? [])).toEqual({
      fieldSelector: 'a',
      watch: '1',
      allowWatchBookmarks: 'true',
      resourceVersion: '5',
    });
  });

  test('ends without an error when aborted, or when the connection breaks', async () => {
    const { api } = await serve((_request, response) => {
      response.writeHead(200).write('{"type":"ADDED","object":1}\n');
    });
    const abort = new AbortController();
    const seen = await collect(api.watch(path, { resourceVersion: '1', signal: abort.signal }), () => abort.abort());
    expect(seen).toHaveLength(1);
    expect(await collect(api.watch(path, { resourceVersion: '1', signal: abort.signal }))).toEqual([]);

    const broken = await serve((request, response) => {
      response.writeHead(200).write('{"type":"ADDED","object":1}\n', () => request.socket.destroy());
    });
    const signal = new AbortController().signal;
    expect(await collect(broken.api.watch(path, { resourceVersion: '1', signal }))).toHaveLength(1);
  });

  test('a consumer that stops reading closes the connection', async () => {
    let closed = () => {};
    const closing = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const { api } = await serve((request, response) => {
      request.socket.on('close', closed);
      response.writeHead(200).write('{"type":"ADDED","object":1}\n');
    });
    for await (const event of api.watch(path, { resourceVersion: '1', signal: new AbortController().signal })) {
      expect(event.type).toBe('ADDED');
      break;
    }
    await closing;
  });

  test('fails where it cannot begin', async () => {
    const signal = new AbortController().signal;
    const { api } = await serve(answerJson(401, { message: 'Unauthorized' }));
    expect(await failureOf(collect(api.watch(path, { resourceVersion: '1', signal })))).toMatchObject({
      kind: 'unauthorized',
    });
    const silent = await listen(net.createServer());
    const slow = connectThroughPort({
      server: `https://127.0.0.1:${silent}`,
      credentials: { certificateAuthority: ca.certificatePem, clientCertificate: '', clientKey: '' },
      watchStartTimeoutMs: 100,
    });
    expect(await failureOf(collect(slow.watch(path, { resourceVersion: '1', signal })))).toMatchObject({
      kind: 'timeout',
    });
  });
});
