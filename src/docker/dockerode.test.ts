import type { ServerResponse } from 'node:http';
import http from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Readable } from 'node:stream';
import { readArchive, writeArchive } from './archive.ts';
import type { ConnectOptions } from './dockerode.ts';
import { connectEngine } from './dockerode.ts';
import type { Engine, EngineEvent } from './port.ts';
import { EngineError } from './port.ts';
import type { FakeEngine, FakeEngineScript } from './testing/fake-engine.ts';
import { sendJson, startFakeEngine } from './testing/fake-engine.ts';

const open: FakeEngine[] = [];

afterEach(async () => {
  vi.unstubAllEnvs();
  await Promise.all(open.splice(0).map((fake) => fake.close()));
});

async function start(script: FakeEngineScript = {}, options: ConnectOptions = {}) {
  const fake = await startFakeEngine(script);
  open.push(fake);
  return { fake, engine: await connectEngine(fake.endpoint, options) };
}

async function catchFailure(work: Promise<unknown>): Promise<EngineError> {
  const outcome = await work.then(
    () => new Error('it succeeded'),
    (error: unknown) => error,
  );
  if (!(outcome instanceof EngineError)) {
    throw outcome;
  }
  return outcome;
}

describe('connectEngine', () => {
  it('follows the given endpoint and not the environment', async () => {
    vi.stubEnv('DOCKER_HOST', 'tcp://127.0.0.1:9');
    const { engine, fake } = await start({
      routes: {
        'GET /info': (_, response) =>
          sendJson(response, 200, { ID: 'abc', ServerVersion: '26.1', OperatingSystem: 'Debian' }),
      },
    });
    expect(await engine.info()).toEqual({ id: 'abc', version: '26.1', operatingSystem: 'Debian' });
    expect(engine.endpoint).toBe(fake.endpoint.url);
    expect(engine.attempts).toEqual([{ source: 'test', endpoint: fake.endpoint.url }]);
  });

  it('says that nothing listens', async () => {
    const { fake } = await start();
    const missing = { ...fake.endpoint, transport: { kind: 'socket', path: '/nonexistent/docker.sock' } } as const;
    const error = await catchFailure(connectEngine(missing));
    expect([error.kind, error.message]).toEqual(['unreachable', expect.stringContaining('ENOENT')]);
  });

  it('gives up on an engine that accepts and says nothing', async () => {
    const fake = await startFakeEngine({ routes: { 'GET /_ping': () => {} } });
    open.push(fake);
    const error = await catchFailure(connectEngine(fake.endpoint, { connectTimeoutMs: 50 }));
    expect([error.kind, error.message]).toEqual(['timeout', expect.stringContaining(fake.endpoint.url)]);
  });
});

describe('failures', () => {
  const { calls, answered } = listCalls();

  it.each(
    calls.flatMap(([what, route, invoke]) => [
      [what, 404, 'not-found', route, invoke] as const,
      [what, 409, 'conflict', route, invoke] as const,
      [what, 500, 'failed', route, invoke] as const,
    ]),
  )('%s answered by %i is %s', async (what, status, kind, route, invoke) => {
    const { engine, fake } = await start({ routes: { [route]: answered(status, 'these are the words') } });
    const error = await catchFailure(invoke(engine));
    expect(error.kind).toBe(kind);
    expect(error.message).toContain(what);
    expect(error.message).toContain(fake.endpoint.url);
    expect(error.message).toContain('these are the words');
  });

  it.each(calls)('%s without an answer is a timeout', async (_, route, invoke) => {
    const { engine } = await start({ routes: { [route]: () => {} } }, { lookTimeoutMs: 40, changeTimeoutMs: 40 });
    expect((await catchFailure(invoke(engine, 40))).kind).toBe('timeout');
  });

  it.each(calls)('%s cut off is unreachable', async (_, route, invoke) => {
    const { engine } = await start({ routes: { [route]: (_request, response) => void response.destroy() } });
    expect((await catchFailure(invoke(engine))).kind).toBe('unreachable');
  });

  it('calls a refused connection a matter of permission', async () => {
    const { engine } = await start();
    // The system refuses root nothing, so the refusal is staged where it would surface.
    const request = vi.spyOn(http, 'request').mockImplementation(() => {
      throw Object.assign(new Error('connect EACCES'), { code: 'EACCES' });
    });
    const error = await catchFailure(engine.info()).finally(() => request.mockRestore());
    expect([error.kind, error.message]).toEqual(['permission-denied', expect.stringContaining('EACCES')]);
  });
});

function listCalls() {
  const answered =
    (status: number, message: string) =>
    (_: unknown, response: Parameters<typeof sendJson>[0]): void =>
      sendJson(response, status, { message });
  const calls: [string, string, (engine: Engine, timeoutMs?: number) => Promise<unknown>][] = [
    ['describe itself', 'GET /info', (engine) => engine.info()],
    ['list containers', 'GET /containers/json', (engine) => engine.listContainers({})],
    ['inspect container "box"', 'GET /containers/box/json', (engine) => engine.inspectContainer('box')],
    ['start container "box"', 'POST /containers/box/start', (engine) => engine.startContainer('box')],
    ['stop container "box"', 'POST /containers/box/stop', (engine) => engine.stopContainer('box', 0)],
    [
      'set the restart policy of container "box"',
      'POST /containers/box/update',
      (engine) => engine.setRestartPolicy('box', { name: 'always', maximumRetryCount: 0 }),
    ],
    [
      'run true in container "box"',
      'POST /containers/box/exec',
      (engine, timeoutMs = 10_000) => engine.exec('box', { argv: ['true'], timeoutMs }),
    ],
    ['read /etc in container "box"', 'GET /containers/box/archive', (engine) => engine.getArchive('box', '/etc')],
    [
      'write into /etc in container "box"',
      'PUT /containers/box/archive',
      (engine) => engine.putArchive('box', '/etc', []),
    ],
    ['inspect network "kind"', 'GET /networks/kind', (engine) => engine.inspectNetwork('kind')],
    ['report events', 'GET /events', (engine) => collectEvents(engine, new AbortController().signal)],
  ];
  return { calls, answered };
}

async function collectEvents(engine: Engine, signal: AbortSignal): Promise<EngineEvent[]> {
  const events: EngineEvent[] = [];
  for await (const event of engine.events(signal)) {
    events.push(event);
  }
  return events;
}

describe('containers and networks', () => {
  it('lists by label', async () => {
    const { engine, fake } = await start({
      routes: {
        'GET /containers/json': (_, response) =>
          sendJson(response, 200, [{ Id: 'c1', Names: ['/other/alias', '/box'], Labels: { a: '1' }, State: 'exited' }]),
      },
    });
    const found = await engine.listContainers({ 'io.x-k8s.kind.cluster': 'idp', role: undefined });
    expect(found).toEqual([{ id: 'c1', name: 'box', labels: { a: '1' }, state: 'exited' }]);
    const query = fake.requests.at(-1)?.url.searchParams;
    expect(query?.get('all')).toBe('true');
    expect(JSON.parse(query?.get('filters') ?? '')).toEqual({ label: ['io.x-k8s.kind.cluster=idp', 'role'] });
  });

  const bindings = {
    '6443/tcp': [{ HostIp: '127.0.0.1', HostPort: '41777' }],
    '80/tcp': [{ HostPort: '' }],
    '9/udp': null,
  };
  const port = { containerPort: 6443, protocol: 'tcp', hostIp: '127.0.0.1', hostPort: 41777 };

  it.each([
    ['published ports while it runs', true, bindings, {}, [port]],
    ['no configured ports while it runs', true, {}, bindings, []],
    ['configured ports while it does not', false, {}, bindings, [port]],
  ] as const)('inspects %s', async (_, running, Ports, PortBindings, ports) => {
    const { engine } = await start({
      routes: {
        'GET /containers/box/json': (_request, response) =>
          sendJson(response, 200, {
            Id: 'c1',
            Name: '/box',
            Config: { Image: 'kindest/node:v1', Hostname: 'box', Labels: { a: '1' } },
            State: { Status: 'x', Running: running, ExitCode: 137, Error: 'oom', StartedAt: 's', FinishedAt: 'f' },
            HostConfig: { RestartPolicy: { Name: 'on-failure', MaximumRetryCount: 1 }, PortBindings },
            NetworkSettings: {
              Ports,
              Networks: { kind: { IPAddress: '172.18.0.2', GlobalIPv6Address: 'fc00::2', Gateway: '172.18.0.1' } },
            },
          }),
      },
    });
    expect(await engine.inspectContainer('box')).toEqual({
      id: 'c1',
      name: 'box',
      labels: { a: '1' },
      state: 'x',
      image: 'kindest/node:v1',
      running,
      exitCode: 137,
      error: 'oom',
      startedAt: 's',
      finishedAt: 'f',
      hostname: 'box',
      restartPolicy: { name: 'on-failure', maximumRetryCount: 1 },
      networks: { kind: { ipv4: '172.18.0.2', ipv6: 'fc00::2', gateway: '172.18.0.1' } },
      ports,
    });
  });

  it('inspects a network', async () => {
    const { engine } = await start({
      routes: {
        'GET /networks/kind': (_, response) =>
          sendJson(response, 200, {
            Id: 'n1',
            Name: 'kind',
            Driver: 'bridge',
            IPAM: { Config: [{ Subnet: 'fc00::/64' }, { Subnet: '172.18.0.0/16', Gateway: '172.18.0.1' }] },
            Containers: { c1: { Name: 'box', IPv4Address: '172.18.0.2/16', IPv6Address: '' } },
          }),
      },
    });
    expect(await engine.inspectNetwork('kind')).toEqual({
      id: 'n1',
      name: 'kind',
      driver: 'bridge',
      subnets: ['fc00::/64', '172.18.0.0/16'],
      gateways: ['172.18.0.1'],
      members: [{ container: 'box', ipv4: '172.18.0.2', ipv6: '' }],
    });
  });

  it('takes a running container for started and a stopped one for stopped', async () => {
    const unmodified = (_: unknown, response: Parameters<typeof sendJson>[0]) => void response.writeHead(304).end();
    const { engine, fake } = await start({
      routes: { 'POST /containers/box/start': unmodified, 'POST /containers/box/stop': unmodified },
    });
    await engine.startContainer('box');
    await engine.stopContainer('box', 7);
    expect(fake.requests.at(-1)?.url.searchParams.get('t')).toBe('7');
  });

  it('sets a restart policy and nothing else', async () => {
    const { engine, fake } = await start({
      routes: { 'POST /containers/box/update': (_, response) => sendJson(response, 200, {}) },
    });
    await engine.setRestartPolicy('box', { name: 'on-failure', maximumRetryCount: 1 });
    expect(JSON.parse(String(fake.requests.at(-1)?.body))).toEqual({
      RestartPolicy: { Name: 'on-failure', MaximumRetryCount: 1 },
    });
  });
});

describe('archives', () => {
  const file = {
    path: 'pki/ca.crt',
    type: 'file',
    mode: 0o600,
    uid: 1,
    gid: 2,
    contents: Buffer.from([0, 255]),
  } as const;

  it('are read and written', async () => {
    const bytes = await writeArchive([file]);
    const { engine, fake } = await start({
      routes: {
        'GET /containers/box/archive': (_, response) => void response.end(bytes),
        'PUT /containers/box/archive': (_, response) => void response.end(),
      },
    });
    expect(await engine.getArchive('box', '/etc/a b&c')).toEqual([file]);
    expect(fake.requests.at(-1)?.url.searchParams.get('path')).toBe('/etc/a b&c');
    await engine.putArchive('box', '/etc', [file]);
    const sent = Readable.from([fake.requests.at(-1)?.body]);
    expect(await readArchive(sent, { signal: new AbortController().signal, onProgress: () => {} })).toEqual([file]);
    expect(fake.requests.at(-1)?.url.searchParams.get('path')).toBe('/etc');
  });

  it('that fall silent are given up', async () => {
    const bytes = await writeArchive([file]);
    const { engine } = await start(
      { routes: { 'GET /containers/box/archive': (_, response) => void response.write(bytes.subarray(0, 600)) } },
      { lookTimeoutMs: 40 },
    );
    expect((await catchFailure(engine.getArchive('box', '/etc'))).kind).toBe('timeout');
  });
});

describe('exec', () => {
  it('carries input, environment, both streams and the exit code', async () => {
    const { engine } = await start({
      exec: async (exec) => {
        const input = await exec.readStdin();
        exec.write(1, `${exec.argv.join('|')} ${exec.environment.join('|')}`);
        exec.write(2, input);
        return 7;
      },
    });
    const stdin = Buffer.alloc(1 << 20, 'abc\0');
    const pieces: Buffer[] = [];
    const result = await engine.exec('box', {
      argv: ['echo', 'a b'],
      environment: { A: '1=2' },
      stdin,
      timeoutMs: 5000,
      onStdout: (piece) => pieces.push(piece),
    });
    expect(result.exitCode).toBe(7);
    expect(result.stdout.toString()).toBe('echo|a b A=1=2');
    expect(result.stderr.equals(stdin)).toBe(true);
    expect(Buffer.concat(pieces)).toEqual(result.stdout);
  });

  it('closes even an empty input', async () => {
    const { engine } = await start({ exec: async (exec) => (await exec.readStdin()).length });
    expect((await engine.exec('box', { argv: ['cat'], stdin: Buffer.alloc(0), timeoutMs: 5000 })).exitCode).toBe(0);
  });

  it('waits for output that comes late, and for an exit that is booked later still', async () => {
    const { engine } = await start({
      lateExits: 3,
      exec: async (exec) => {
        for (let piece = 0; piece < 20; piece += 1) {
          exec.write(1, `${piece} `);
          await new Promise((resolve) => setImmediate(resolve));
        }
        return 3;
      },
    });
    const result = await engine.exec('box', { argv: ['seq'], timeoutMs: 5000 });
    expect(result.exitCode).toBe(3);
    expect(result.stdout.toString()).toBe(Array.from({ length: 20 }, (_, piece) => `${piece} `).join(''));
  });

  it('gives up in time', async () => {
    const { engine } = await start({
      exec: async (exec) => {
        await exec.closed;
        return 0;
      },
    });
    const error = await catchFailure(engine.exec('box', { argv: ['sleep'], timeoutMs: 60 }));
    expect([error.kind, error.message]).toEqual(['timeout', expect.stringContaining('container "box"')]);
  });

  it('tears the connection down when it is called off', async () => {
    const controller = new AbortController();
    const torn: Promise<void>[] = [];
    const { engine } = await start({
      exec: async (exec) => {
        torn.push(exec.closed);
        exec.write(1, 'started');
        await exec.closed;
        return 0;
      },
    });
    const request = {
      argv: ['follow'],
      timeoutMs: 60_000,
      signal: controller.signal,
      onStdout: () => controller.abort(),
    };
    expect((await catchFailure(engine.exec('box', request))).kind).toBe('timeout');
    await Promise.all(torn);
    expect(torn).toHaveLength(1);
    expect((await catchFailure(engine.exec('box', request))).message).toContain('called off');
    expect(torn).toHaveLength(1);
  });

  it.each([
    ['a frame that is cut off', (bytes: Buffer) => bytes.subarray(0, 10), 'cut off'],
    ['bytes outside the framing', () => Buffer.from('plain text'), 'framing'],
  ])('fails on %s', async (_, mangle, words) => {
    const { engine } = await start({
      exec: async (exec) => {
        exec.writeRaw(mangle(Buffer.from([1, 0, 0, 0, 0, 0, 0, 9, 65, 66, 67])));
        return 0;
      },
    });
    const error = await catchFailure(engine.exec('box', { argv: ['x'], timeoutMs: 5000 }));
    expect([error.kind, error.message]).toEqual(['failed', expect.stringContaining(words)]);
  });

  it("passes on the engine's own failure", async () => {
    const { engine } = await start({
      exec: async (exec) => {
        exec.write(3, 'no space left');
        return 0;
      },
    });
    const error = await catchFailure(engine.exec('box', { argv: ['x'], timeoutMs: 5000 }));
    expect(error.message).toContain('no space left');
  });
});

describe('events', () => {
  const line = `${JSON.stringify({ Type: 'container', Action: 'start', Actor: { ID: 'c', Attributes: {} }, time: 1 })}\n`;
  const event = { type: 'container', action: 'start', actor: 'c', attributes: {}, time: 1000 };

  it('end when they are called off', async () => {
    const controller = new AbortController();
    const { engine } = await start({ routes: { 'GET /events': (_, response) => void response.write(line) } });
    const seen: EngineEvent[] = [];
    for await (const one of engine.events(controller.signal)) {
      seen.push(one);
      controller.abort();
    }
    expect(seen).toEqual([event]);
    expect(await collectEvents(engine, controller.signal)).toEqual([]);
  });

  it('end while the engine has not yet answered', async () => {
    const controller = new AbortController();
    const { engine } = await start({ routes: { 'GET /events': () => controller.abort() } });
    expect(await collectEvents(engine, controller.signal)).toEqual([]);
  });

  it.each([
    ['ends', (response: ServerResponse) => void response.end(line)],
    [
      'breaks',
      (response: ServerResponse) => {
        response.write(line);
        setImmediate(() => response.destroy());
      },
    ],
  ])('reject when the stream %s', async (_, play) => {
    const { engine } = await start({ routes: { 'GET /events': (_request, response) => play(response) } });
    const error = await catchFailure(collectEvents(engine, new AbortController().signal));
    expect(error.kind).toBe('unreachable');
  });

  it('leave no connection behind when the reader stops', async () => {
    let closed: Promise<void> | undefined;
    const { engine } = await start({
      routes: {
        'GET /events': (_, response) => {
          closed = new Promise((resolve) => response.on('close', resolve));
          response.write(line);
        },
      },
    });
    for await (const one of engine.events(new AbortController().signal)) {
      expect(one).toEqual(event);
      break;
    }
    await closed;
    expect(closed).toBeDefined();
  });
});
