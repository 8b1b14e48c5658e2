import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTestDocker } from './testing/world.ts';

const onFailure = { name: 'on-failure', maximumRetryCount: 1 } as const;

function addressOf(docker: ReturnType<typeof createTestDocker>['docker'], name: string): string | undefined {
  return docker.interfaces(name)[0]?.ipv4;
}

describe('addresses', () => {
  it('that one container frees, another one gets', async () => {
    const { docker, add, clock } = createTestDocker();
    for (const name of ['a', 'b', 'c']) add(name);
    for (const name of ['a', 'b', 'c']) docker.start(name);
    for (const name of ['a', 'b', 'c']) docker.kill(name);
    for (const name of ['b', 'c', 'a']) docker.start(name);
    expect(['a', 'b', 'c'].map((name) => addressOf(docker, name))).toEqual(['172.18.0.4', '172.18.0.2', '172.18.0.3']);
    expect(docker.resolve('a')).toEqual({ container: 'a', ipv4: '172.18.0.4', ipv6: 'fc00:f853:ccd:e793::4' });
    expect(docker.resolve('172.18.0.4')?.container).toBe('a');
    expect(docker.resolve('fc00:f853:ccd:e793::3')?.container).toBe('c');
    docker.kill('a');
    expect([docker.resolve('a'), docker.resolve('172.18.0.4'), docker.resolve('')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    await clock.advance(1_000);
  });

  it('are never held twice, are the lowest free ones, and are all free again in the end', () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const action = fc.tuple(fc.constantFrom('start', 'kill', 'leave', 'join'), fc.constantFrom(...names));
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
        const { docker, add } = createTestDocker();
        for (const name of names) add(name);
        const held = () => names.flatMap((name) => docker.interfaces(name).map((each) => each.ipv4));
        for (const [verb, name] of actions) {
          const before = new Set(held());
          const running = docker.find(name).status === 'running';
          const member = docker.find(name).endpoints.has('kind');
          if (verb === 'start' && !running) docker.start(name);
          if (verb === 'kill' && running) docker.kill(name);
          if (verb === 'leave' && member) docker.disconnect('kind', name);
          if (verb === 'join' && !member) docker.connect('kind', name);
          const after = held();
          expect(new Set(after).size).toBe(after.length);
          const lowest = Array.from({ length: 9 }, (_, index) => `172.18.0.${index + 2}`).find(
            (one) => !before.has(one),
          );
          const dealt = after.filter((one) => !before.has(one));
          expect(dealt.every((one) => one === lowest)).toBe(true);
        }
        for (const name of names) docker.remove(name, { force: true });
        add('last');
        docker.start('last');
        expect(addressOf(docker, 'last')).toBe('172.18.0.2');
      }),
    );
  });

  it('change while the container runs, on another device', async () => {
    const { docker, add, clock } = createTestDocker();
    const guest = add('node');
    add('squatter');
    docker.start('node');
    await clock.advance(0);
    docker.disconnect('kind', 'node');
    docker.start('squatter');
    docker.connect('kind', 'node');
    expect(guest.story).toEqual(['boot eth0=172.18.0.2', 'readdress ', 'readdress eth1=172.18.0.3']);
    docker.kill('node');
    docker.start('node');
    await clock.advance(0);
    expect(guest.story.at(-1)).toBe('boot eth0=172.18.0.3');
  });

  it('come from every network that a container is in', () => {
    const { docker, add } = createTestDocker();
    docker.addNetwork({ name: 'other', subnet: '10.9.0.0/24' });
    add('node', { networks: ['kind', 'other'] });
    docker.start('node');
    expect(docker.interfaces('node').map(({ device, ipv4, ipv6 }) => [device, ipv4, ipv6 !== ''])).toEqual([
      ['eth0', '172.18.0.2', true],
      ['eth1', '10.9.0.2', false],
    ]);
  });
});

describe('restart policies', () => {
  it('on-failure:1 tries once more where the first process ends at once', async () => {
    const { docker, add, clock } = createTestDocker();
    const guest = add('node', { restartPolicy: onFailure });
    guest.bootAnswers.push(1, 1);
    docker.start('node');
    expect(docker.find('node').status).toBe('running');
    await clock.advance(60_000);
    expect(docker.find('node')).toMatchObject({ status: 'exited', exitCode: 1, restartCount: 1 });
    expect(guest.story.filter((line) => line.startsWith('boot'))).toHaveLength(2);
    docker.start('node');
    await clock.advance(0);
    expect(docker.find('node')).toMatchObject({ status: 'running', restartCount: 0 });
  });

  it.each([
    ['no', 1, 'exited'],
    ['always', 0, 'running'],
    ['unless-stopped', 0, 'running'],
    ['on-failure', 0, 'exited'],
    ['on-failure', 1, 'running'],
  ] as const)('%s after an own end with %i leaves it %s', async (name, exitCode, status) => {
    const { docker, add, clock } = createTestDocker();
    add('box', { restartPolicy: { name, maximumRetryCount: 0 } });
    docker.start('box');
    await clock.advance(20_000);
    docker.exit('box', exitCode);
    await clock.advance(1_000);
    expect(docker.find('box').status).toBe(status);
  });

  it('wait longer from one failure to the next', async () => {
    const { docker, add, clock } = createTestDocker();
    const guest = add('box', { restartPolicy: { name: 'always', maximumRetryCount: 0 } });
    guest.bootAnswers.push(...Array.from({ length: 50 }, () => 1));
    docker.start('box');
    await clock.advance(3_000);
    // After 0, 0.1, 0.3, 0.7 and 1.5 seconds.
    expect(guest.story.filter((line) => line.startsWith('boot'))).toHaveLength(5);
    expect(docker.find('box').status).toBe('restarting');
    await docker.stop('box');
    await clock.advance(60_000);
    expect(docker.find('box').status).toBe('exited');
  });

  it('do not undo what a person did', async () => {
    const { docker, add, clock } = createTestDocker();
    add('box', { restartPolicy: { name: 'always', maximumRetryCount: 0 } });
    docker.start('box');
    docker.kill('box');
    await clock.advance(60_000);
    expect(docker.find('box')).toMatchObject({ status: 'exited', exitCode: 137 });
  });
});

describe('the engine', () => {
  it('starts again what its policy asks for, in the order given', async () => {
    const { docker, add, clock } = createTestDocker();
    const policies = {
      a: onFailure,
      b: onFailure,
      plain: undefined,
      stopped: { name: 'unless-stopped', maximumRetryCount: 0 },
    } as const;
    for (const [name, restartPolicy] of Object.entries(policies)) {
      add(name, restartPolicy === undefined ? {} : { restartPolicy });
      docker.start(name);
    }
    docker.kill('stopped');
    await clock.advance(5_000);
    docker.crashEngine();
    expect(docker.containers().map(({ status, exitCode }) => [status, exitCode])).toEqual([
      ['exited', 255],
      ['exited', 255],
      ['exited', 255],
      ['exited', 137],
    ]);
    await docker.startEngine(['b', 'a']);
    expect(docker.containers().map(({ status }) => status)).toEqual(['running', 'running', 'exited', 'exited']);
    expect([addressOf(docker, 'a'), addressOf(docker, 'b')]).toEqual(['172.18.0.3', '172.18.0.2']);
  });

  it('deals by chance where no order is given, and the same for the same seed', async () => {
    const deal = async (seed: number) => {
      const { docker, add } = createTestDocker({}, seed);
      for (const name of ['a', 'b', 'c', 'd']) {
        add(name, { restartPolicy: onFailure });
        docker.start(name);
      }
      docker.crashEngine();
      await docker.startEngine();
      return ['a', 'b', 'c', 'd'].map((name) => addressOf(docker, name)).join(' ');
    };
    const deals = await Promise.all(Array.from({ length: 20 }, (_, seed) => deal(seed)));
    expect(new Set(deals).size).toBeGreaterThan(3);
    expect(await deal(3)).toBe(deals[3]);
  });

  it('does not finish what it was doing when it died', async () => {
    const { docker, add, clock } = createTestDocker();
    const guest = add('box');
    docker.start('box');
    await clock.advance(0);
    const restarting = docker.restart('box');
    docker.crashEngine();
    await clock.advance(60_000);
    await restarting;
    expect(docker.find('box')).toMatchObject({ status: 'exited', exitCode: 255 });
    expect(guest.story).toEqual(['boot eth0=172.18.0.2', 'halt']);
  });

  it('tells its hooks', async () => {
    const { docker, add } = createTestDocker();
    const told: string[] = [];
    docker.addHooks({
      onStart: ({ name }) => told.push(`start ${name} ${addressOf(docker, name)}`),
      onStop: ({ name, exitCode }) => told.push(`stop ${name} ${exitCode}`),
      onEngine: (state) => void told.push(state),
    });
    add('box', { restartPolicy: onFailure });
    docker.start('box');
    docker.crashEngine();
    await docker.startEngine();
    expect(told).toEqual(['start box 172.18.0.2', 'down', 'stop box 255', 'start box 172.18.0.2', 'up']);
  });
});

describe('refusals', () => {
  it.each([
    ['a second one of a name', 409, (world) => void world.add('box')],
    ['the start of what runs', 304, ({ docker }) => docker.start('box')],
    ['the removal of what runs', 409, ({ docker }) => docker.remove('box')],
    ['a kill of what is dead', 409, ({ docker }) => (docker.kill('box'), docker.kill('box'))],
    ['an unknown container', 404, ({ docker }) => docker.start('nobody')],
    ['an unknown network', 404, ({ docker }) => docker.connect('nowhere', 'box')],
    ['a second way into a network', 403, ({ docker }) => docker.connect('kind', 'box')],
    [
      'a retry count without on-failure',
      400,
      ({ docker }) => docker.setRestartPolicy('box', { name: 'always', maximumRetryCount: 1 }),
    ],
  ] as [string, number, (world: ReturnType<typeof createTestDocker>) => void][])('%s: %i', (_, status, act) => {
    const world = createTestDocker();
    world.add('box');
    world.docker.start('box');
    expect(() => act(world)).toThrow(expect.objectContaining({ name: 'DockerRefusal', status }));
  });
});
