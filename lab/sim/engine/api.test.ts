import type { IncomingHttpHeaders } from 'node:http';
import { request as send } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import type { TestEngine } from './testing/world.ts';
import { startTestEngine } from './testing/world.ts';

const open: TestEngine[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

async function start() {
  const world = await startTestEngine();
  open.push(world);
  const { transport } = world.server.endpoint;
  const socketPath = transport.kind === 'socket' ? transport.path : '';
  const call = (method: string, path: string, document?: unknown): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const sent = send({ socketPath, method, path, agent: false }, (response) => {
        const settle = (body: Buffer) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
        buffer(response).then(settle, reject);
      });
      sent.on('error', reject);
      sent.end(document === undefined ? undefined : JSON.stringify(document));
    });
  return { ...world, socketPath, call };
}

function parseLines(body: Buffer): { Action: string; Actor: { Attributes: Record<string, string> } }[] {
  const lines = body
    .toString()
    .split('\n')
    .filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as ReturnType<typeof parseLines>[number]);
}

describe('the API', () => {
  it('answers with and without a version in the path', async () => {
    const { call } = await start();
    const plain = await call('GET', '/_ping');
    expect([plain.status, plain.body.toString(), plain.headers['api-version']]).toEqual([200, 'OK', '1.45']);
    expect((await call('HEAD', '/v1.41/_ping')).status).toBe(200);
    expect(JSON.parse(String((await call('GET', '/v1.45/version')).body))).toMatchObject({ ApiVersion: '1.45' });
  });

  it('refuses in Docker’s own documents', async () => {
    const { call, add } = await start();
    add('box');
    const missing = await call('POST', '/containers/nobody/start');
    expect([missing.status, JSON.parse(String(missing.body))]).toEqual([404, { message: 'No such container: nobody' }]);
    expect((await call('POST', '/containers/box/start')).status).toBe(204);
    const again = await call('POST', '/containers/box/start');
    expect([again.status, again.body.length]).toEqual([304, 0]);
    expect((await call('GET', '/nothing')).status).toBe(404);
    expect((await call('DELETE', '/containers/box')).status).toBe(409);
    expect((await call('POST', '/containers/box/kill')).status).toBe(204);
    expect((await call('POST', '/containers/box/kill')).status).toBe(409);
    expect((await call('DELETE', '/containers/box')).status).toBe(204);
  });

  it('runs a command for a client that does not upgrade', async () => {
    const { call, add, docker } = await start();
    add('box').play = (request) => {
      request.writeStdout('out');
      request.writeStderr('err');
      return Promise.resolve(4);
    };
    docker.start('box');
    const asked = { Cmd: ['x'], AttachStdout: true, AttachStderr: true };
    const { Id: id } = JSON.parse(String((await call('POST', '/containers/box/exec', asked)).body)) as { Id: string };
    const { body } = await call('POST', `/exec/${id}/start`, { Detach: false, Tty: false });
    expect(body.toString('latin1')).toBe('\x01\0\0\0\0\0\0\x03out\x02\0\0\0\0\0\0\x03err');
    expect(JSON.parse(String((await call('GET', `/exec/${id}/json`)).body))).toMatchObject({
      Running: false,
      ExitCode: 4,
    });
    expect((await call('POST', `/exec/${id}/start`, {})).status).toBe(409);
  });

  it('tells what happened between two moments', async () => {
    const { call, add, docker, clock } = await start();
    add('a', { labels: { role: 'worker' } });
    add('b');
    docker.start('a');
    docker.start('b');
    await clock.advance(1_000);
    const filters = encodeURIComponent(JSON.stringify({ type: { container: true }, label: { 'role=worker': true } }));
    const { body } = await call('GET', `/events?since=1&until=${clock.now() / 1000}&filters=${filters}`);
    expect(parseLines(body).map(({ Action }) => Action)).toEqual(['create', 'start']);
    const [since, until] = [clock.now() / 1000, (clock.now() + 5_000) / 1000];
    clock.schedule(2_000, () => docker.kill('b'));
    const later = await call(
      'GET',
      `/events?since=${since}&until=${until}&filters=${encodeURIComponent('{"event":["die"]}')}`,
    );
    expect(parseLines(later.body)[0]?.Actor.Attributes).toMatchObject({ name: 'b', exitCode: '137' });
  });

  it('makes containers that hold an address', async () => {
    const { call, docker } = await start();
    const asked = {
      Image: 'kindest/node:v1',
      Entrypoint: ['sleep'],
      Cmd: ['infinity'],
      HostConfig: { NetworkMode: 'kind' },
    };
    expect((await call('POST', '/containers/create?name=squatter', asked)).status).toBe(201);
    await call('POST', '/containers/squatter/start');
    expect(docker.resolve('172.18.0.2')?.container).toBe('squatter');
    expect((await call('POST', '/containers/create?name=squatter', asked)).status).toBe(409);
  });

  it('moves a running container to another address', async () => {
    const { call, add, docker } = await start();
    add('node');
    add('squatter');
    docker.start('node');
    expect((await call('POST', '/networks/kind/disconnect', { Container: 'node' })).status).toBe(200);
    docker.start('squatter');
    expect((await call('POST', '/networks/kind/connect', { Container: 'node' })).status).toBe(200);
    expect(docker.interfaces('node')).toMatchObject([{ device: 'eth1', ipv4: '172.18.0.3' }]);
    const pinned = { Container: 'node', EndpointConfig: { IPAMConfig: { IPv4Address: '172.18.0.9' } } };
    expect(String((await call('POST', '/networks/kind/connect', pinned)).body)).toContain('user configured subnets');
  });

  it('answers whoever waits for an end', async () => {
    const { call, add, docker, clock } = await start();
    add('box');
    expect(JSON.parse(String((await call('POST', '/containers/box/wait')).body))).toEqual({ StatusCode: 0 });
    const turn = () => {
      if (docker.find('box').status === 'running') docker.kill('box');
      else docker.start('box');
      clock.schedule(1_000, turn);
    };
    turn();
    const { body } = await call('POST', '/containers/box/wait?condition=next-exit');
    expect(JSON.parse(String(body))).toEqual({ StatusCode: 137 });
  });

  it('is not busy for a caller that left', async () => {
    const { socketPath, add, docker, busy } = await start();
    add('box', { shutdown: 'ignored' });
    docker.start('box');
    const stopped = new Promise((resolve) => docker.addHooks({ onStop: resolve }));
    const left = send({ socketPath, method: 'POST', path: '/containers/box/stop?t=5', agent: false });
    left.on('error', () => {});
    left.end();
    const following = docker.events.follow((event) => event.action === 'kill' && left.destroy());
    await stopped;
    following();
    while (busy() > 0) await new Promise((resolve) => setImmediate(resolve));
    expect(docker.find('box').status).toBe('exited');
  });
});
