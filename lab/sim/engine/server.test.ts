import { afterEach, describe, expect, it } from 'vitest';
import { connectEngine } from '../../../src/docker/dockerode.ts';
import type { Engine, EngineEvent } from '../../../src/docker/port.ts';
import { EngineError } from '../../../src/docker/port.ts';
import type { TestEngine } from './testing/world.ts';
import { startTestEngine } from './testing/world.ts';

const open: TestEngine[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

async function start(): Promise<TestEngine & { engine: Engine }> {
  const world = await startTestEngine();
  open.push(world);
  return { ...world, engine: await connectEngine(world.server.endpoint) };
}

async function catchFailure(work: Promise<unknown>): Promise<EngineError> {
  const outcome = await work.catch((error: unknown) => error);
  if (outcome instanceof EngineError) return outcome;
  throw new Error(`no EngineError: ${String(outcome)}`);
}

const labels = { 'io.x-k8s.kind.cluster': 'idp', 'io.x-k8s.kind.role': 'control-plane' };
const ports = [{ containerPort: 6443, hostIp: '127.0.0.1', hostPort: 41255 }];
const restartPolicy = { name: 'on-failure', maximumRetryCount: 1 } as const;

describe('containers', () => {
  it('are listed by label, inspected, started and stopped', async () => {
    const { engine, add, docker } = await start();
    const guest = add('idp-control-plane', { labels, ports, restartPolicy });
    add('other');
    const found = await engine.listContainers({ 'io.x-k8s.kind.cluster': 'idp', 'io.x-k8s.kind.role': undefined });
    expect(found.map(({ name, state }) => [name, state])).toEqual([['idp-control-plane', 'created']]);

    await engine.startContainer('idp-control-plane');
    await engine.startContainer('idp-control-plane');
    const details = await engine.inspectContainer(docker.find('idp-control-plane').id.slice(0, 12));
    expect(details).toMatchObject({
      name: 'idp-control-plane',
      state: 'running',
      running: true,
      hostname: 'idp-control-plane',
      labels,
      restartPolicy,
      networks: { kind: { ipv4: '172.18.0.2', ipv6: 'fc00:f853:ccd:e793::2', gateway: '172.18.0.1' } },
      ports: [{ containerPort: 6443, protocol: 'tcp', hostIp: '127.0.0.1', hostPort: 41255 }],
      finishedAt: '0001-01-01T00:00:00Z',
    });
    expect(guest.story).toEqual(['boot eth0=172.18.0.2']);

    await engine.stopContainer('idp-control-plane', 10);
    await engine.stopContainer('idp-control-plane', 10);
    const stopped = await engine.inspectContainer('idp-control-plane');
    expect(stopped).toMatchObject({
      state: 'exited',
      running: false,
      exitCode: 130,
      networks: { kind: { ipv4: '', ipv6: '', gateway: '' } },
      ports: [{ hostPort: 41255 }],
    });
    expect(guest.story.at(-1)).toBe('halt');
  });

  it('are killed after the grace period where they do not listen', async () => {
    const { engine, add, docker, clock } = await start();
    add('squatter', { shutdown: 'ignored' });
    docker.start('squatter');
    const before = clock.now();
    await engine.stopContainer('squatter', 7);
    expect((await engine.inspectContainer('squatter')).exitCode).toBe(137);
    expect(clock.now() - before).toBeGreaterThanOrEqual(7_000);
  });

  it('get another restart policy', async () => {
    const { engine, add } = await start();
    add('box');
    await engine.setRestartPolicy('box', { name: 'unless-stopped', maximumRetryCount: 0 });
    expect((await engine.inspectContainer('box')).restartPolicy.name).toBe('unless-stopped');
  });

  it('that do not exist are not found', async () => {
    const { engine } = await start();
    const error = await catchFailure(engine.inspectContainer('nobody'));
    expect([error.kind, error.message]).toEqual(['not-found', expect.stringContaining('No such container: nobody')]);
  });
});

describe('exec', () => {
  it('carries input, environment, both streams and the exit code', async () => {
    const { engine, add, docker, busy } = await start();
    const guest = add('box');
    docker.start('box');
    guest.play = async (request) => {
      const input = await request.readStdin();
      request.writeStdout(`${request.argv.join('|')} ${request.environment.join('|')}`);
      request.writeStderr(input);
      return 7;
    };
    const stdin = Buffer.alloc(1 << 20, 'abc\0');
    const argv = ['echo', 'a b'];
    const result = await engine.exec('box', { argv, environment: { A: '1=2' }, stdin, timeoutMs: 5_000 });
    expect([result.exitCode, result.stdout.toString()]).toEqual([7, 'echo|a b A=1=2']);
    expect(result.stderr.equals(stdin)).toBe(true);
    expect(busy()).toBe(0);
  });

  it('lets the clock go on while a command waits for it', async () => {
    const { engine, add, docker, clock } = await start();
    add('box').play = (request) =>
      new Promise((resolve) => {
        clock.schedule(60_000, () => {
          request.writeStdout('late');
          resolve(3);
        });
      });
    docker.start('box');
    const result = await engine.exec('box', { argv: ['sleep'], timeoutMs: 5_000 });
    expect([result.exitCode, result.stdout.toString()]).toEqual([3, 'late']);
  });

  it('tells a command that its caller is gone', async () => {
    const { engine, add, docker } = await start();
    const controller = new AbortController();
    const left = new Promise<void>((resolve) => {
      add('box').play = (request) =>
        new Promise((end) => {
          request.signal.addEventListener('abort', () => {
            resolve();
            end(1);
          });
          controller.abort();
        });
    });
    docker.start('box');
    const request = { argv: ['journalctl', '-f'], timeoutMs: 5_000, signal: controller.signal };
    expect((await catchFailure(engine.exec('box', request))).kind).toBe('timeout');
    await left;
  });

  it('ends with the container', async () => {
    const { engine, add, docker } = await start();
    add('box').play = () => {
      docker.kill('box');
      return new Promise(() => {});
    };
    docker.start('box');
    expect((await engine.exec('box', { argv: ['sleep'], timeoutMs: 5_000 })).exitCode).toBe(137);
  });

  it('is a conflict in a stopped container', async () => {
    const { engine, add } = await start();
    add('box');
    expect((await catchFailure(engine.exec('box', { argv: ['true'], timeoutMs: 5_000 }))).kind).toBe('conflict');
  });
});

describe('archives', () => {
  it('are read and written, of stopped containers too', async () => {
    const { engine, add } = await start();
    const guest = add('box');
    guest.files.write('/etc/pki/ca.crt', Buffer.from([0, 255]), { mode: 0o600, uid: 1, gid: 2 });
    guest.files.write('/etc/pki/secret', 'x', { mode: 0 });
    guest.files.link('/etc/pki/link', 'ca.crt');
    const files = await engine.getArchive('box', '/etc/pki');
    expect(files.map(({ path, type, mode }) => [path, type, mode])).toEqual([
      ['pki', 'directory', 0o755],
      ['pki/ca.crt', 'file', 0o600],
      ['pki/link', 'symlink', 0o777],
      ['pki/secret', 'file', 0],
    ]);
    guest.files.makeDirectory('/var');
    await engine.putArchive('box', '/var', files);
    expect(await engine.getArchive('box', '/var/pki')).toEqual(files);
    expect(guest.files.readText('/var/pki/secret')).toBe('x');
  });

  it('need what they are of, and a folder to go to', async () => {
    const { engine, add } = await start();
    add('box').files.write('/etc/hosts', '');
    expect((await catchFailure(engine.getArchive('box', '/nowhere'))).kind).toBe('not-found');
    expect((await catchFailure(engine.putArchive('box', '/nowhere', []))).kind).toBe('not-found');
    expect((await catchFailure(engine.putArchive('box', '/etc/hosts', []))).message).toContain('not a directory');
  });
});

describe('networks and events', () => {
  it('name every member', async () => {
    const { engine, add, docker } = await start();
    for (const name of ['one', 'two', 'three']) add(name);
    docker.start('two');
    docker.start('one');
    expect(await engine.inspectNetwork('kind')).toMatchObject({
      name: 'kind',
      driver: 'bridge',
      subnets: ['172.18.0.0/16', 'fc00:f853:ccd:e793::/64'],
      gateways: ['172.18.0.1', 'fc00:f853:ccd:e793::1'],
      members: [
        { container: 'one', ipv4: '172.18.0.3', ipv6: 'fc00:f853:ccd:e793::3' },
        { container: 'two', ipv4: '172.18.0.2', ipv6: 'fc00:f853:ccd:e793::2' },
      ],
    });
  });

  it('are told as they happen', async () => {
    const { engine, add, docker } = await start();
    add('box', { labels });
    const controller = new AbortController();
    const events: EngineEvent[] = [];
    const following = (async () => {
      for await (const event of engine.events(controller.signal)) {
        events.push(event);
        if (event.action === 'stop') controller.abort();
        if (event.action === 'start') void engine.stopContainer('box', 10);
      }
    })();
    // The stream is open once another, later one would be: the first event shows it.
    while (events.length === 0) {
      docker.events.write({ type: 'builder', action: 'prune', actor: '', attributes: {} });
      await new Promise((resolve) => setImmediate(resolve));
    }
    await engine.startContainer('box');
    await following;
    const told = events.filter(({ type }) => type !== 'builder').map(({ type, action }) => `${type} ${action}`);
    expect(told).toEqual([
      'network connect',
      'container start',
      'container kill',
      'network disconnect',
      'container die',
      'container stop',
    ]);
    expect(events.at(-1)?.attributes).toMatchObject({ ...labels, name: 'box', image: 'kindest/node:v1.34.4' });
  });
});

describe('a crash of the engine', () => {
  it('takes the API away, and what the restart policies ask for comes back with it', async () => {
    const { engine, add, docker } = await start();
    add('node', { restartPolicy });
    add('plain');
    docker.start('node');
    docker.start('plain');
    const following = catchFailure(
      (async () => {
        for await (const event of engine.events(new AbortController().signal)) void event;
      })(),
    );
    await engine.info();
    docker.crashEngine();
    expect((await following).kind).toBe('unreachable');
    expect((await catchFailure(engine.info())).kind).toBe('unreachable');
    await docker.startEngine();
    expect((await engine.info()).id).toBe(docker.id);
    expect(await engine.inspectContainer('node')).toMatchObject({ running: true });
    expect(await engine.inspectContainer('plain')).toMatchObject({ state: 'exited', exitCode: 255 });
  });
});
