import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCli } from './run.ts';
import { makeCluster, makeFakeEngine } from './testing/fake-engine.ts';
import { type CliSetting, makeFakeSurroundings, runCommand } from './testing/run.ts';
import {
  deadEngine,
  emptyPlan,
  makeCrashed,
  makeDegraded,
  makeFacts,
  makeHealthy,
  makeUnknown,
} from './testing/samples.ts';
import { makeFakeStreams } from './testing/streams.ts';

const healthy = makeCluster(makeHealthy());
const broken = makeCluster(makeCrashed());
const degraded = makeCluster(makeDegraded());
const unknown = makeCluster(makeUnknown());
const stubborn = makeCluster(makeCrashed(), { after: makeCrashed() });
const hopeless = makeCluster(makeCrashed(), { plan: emptyPlan });
const run = {
  id: '20260504-091500-x4k2',
  command: 'heal',
  cluster: 'idp-mvp',
  startedAt: '2026-05-04T09:15:00Z',
  state: 'ended',
  verdict: 'healed',
  stepsDone: 3,
  undoes: null,
} as const;
const named = (name: string): Error => Object.assign(new Error('what went wrong'), { name });

describe('exit codes', () => {
  const cases: [number, string, CliSetting][] = [
    [0, '', { clusters: [healthy] }],
    [0, '', {}],
    [0, 'doctor', {}],
    [1, '', { clusters: [healthy, makeCluster(makeCrashed('other'))] }],
    [3, '', { clusters: [unknown] }],
    [3, '', { failure: deadEngine }],
    [0, 'doctor', { clusters: [healthy] }],
    [1, 'doctor', { clusters: [broken] }],
    [1, 'doctor', { clusters: [broken, makeCluster(makeUnknown('other'))] }],
    [3, 'doctor', { clusters: [unknown] }],
    [0, 'doctor', { clusters: [degraded] }],
    [1, 'doctor --fail-on warning', { clusters: [degraded] }],
    [3, 'doctor', { failure: deadEngine }],
    [3, 'doctor --name idp-mvp', { failure: deadEngine }],
    [2, 'doctor --name other', { clusters: [broken] }],
    [2, 'doctor --name idp-mvp', {}],
    [2, 'doctor --name ../etc', { clusters: [broken] }],
    [2, 'doctor --fail-on never', { clusters: [broken] }],
    [2, 'doctor -o xml', { clusters: [broken] }],
    [2, 'doctor --from nowhere.json', {}],
    [0, 'heal --yes', { clusters: [broken] }],
    [0, 'heal', { clusters: [healthy] }],
    [4, 'heal', { clusters: [broken] }],
    [4, 'heal -o json', { clusters: [broken], streams: { stdin: 'terminal', stderr: 'terminal' } }],
    [0, 'heal -o json --yes', { clusters: [broken] }],
    [1, 'heal --dry-run', { clusters: [broken] }],
    [0, 'heal --dry-run', { clusters: [healthy] }],
    [1, 'heal --yes', { clusters: [stubborn] }],
    [1, 'heal --yes', { clusters: [hopeless] }],
    [3, 'heal --yes', { clusters: [unknown] }],
    [3, 'heal --yes', { failure: deadEngine }],
    [2, 'heal --yes', {}],
    [2, 'heal --only node/unheard-of', { clusters: [broken] }],
    [2, 'heal --max-risk destructive', { clusters: [broken] }],
    [2, 'heal --timeout soon', { clusters: [broken] }],
    [1, 'heal --yes', { clusters: [broken], failWith: named('LockedError') }],
    [3, 'doctor', { clusters: [broken], failWith: named('EngineError') }],
    [3, 'doctor', { clusters: [broken], failWith: new TypeError('undefined is not a function') }],
    [0, 'demo --list', {}],
    [2, 'demo --scenario runbok', {}],
    [2, 'demo --seed many', {}],
    [0, 'runs', {}],
    [0, 'runs last', { runs: [run] }],
    [2, 'runs nothing', { runs: [run] }],
    [0, 'undo last --yes', { clusters: [broken], runs: [run] }],
    [4, 'undo last', { clusters: [broken], runs: [run] }],
    [1, 'undo last --dry-run', { clusters: [broken], runs: [run] }],
    [2, 'undo last', {}],
    [2, 'undo', {}],
    [0, 'explain node/kubelet-endpoint-stale', {}],
    [2, 'explain node/unheard-of', {}],
    [2, 'explain', {}],
    [2, 'docter', {}],
    [2, '--frobnicate', {}],
    [2, '-o json doctor', { clusters: [broken] }],
    [0, '--help', {}],
    [0, 'heal --help', {}],
    [0, 'help heal', {}],
    [0, '--version', {}],
  ];
  test.each(cases)('%d for rekindle %s', async (exitCode, words, setting) => {
    const result = await runCommand(words.split(' ').filter(Boolean), setting);
    expect(result.exitCode).toBe(exitCode);
  });
});

describe('interruption', () => {
  test('ends a heal with 130 and tells how to go on', async () => {
    const streams = makeFakeStreams();
    const engine = makeFakeEngine({ clusters: [broken], duringHeal: () => streams.interrupt() });
    const argv = ['node', 'rekindle', 'heal', '--yes'];
    expect(await runCli(argv, makeFakeSurroundings({}, '/'), streams, async () => engine)).toBe(130);
    expect(engine.applied).toHaveLength(2);
    expect(streams.out()).toContain('interrupted: 2 steps done; run the same command again to go on');
    expect(streams.exits).toEqual([]);
  });

  test('the second one ends the process at once', async () => {
    const streams = makeFakeStreams();
    const interruptTwice = (): void => {
      streams.interrupt();
      streams.interrupt();
    };
    const engine = makeFakeEngine({ clusters: [broken], duringHeal: interruptTwice });
    await runCli(['node', 'rekindle', 'heal', '--yes'], makeFakeSurroundings({}, '/'), streams, async () => engine);
    expect(streams.exits).toEqual([130]);
  });
});

describe('wrong usage says what is wrong and what to do instead', () => {
  const cases: [string, CliSetting, string][] = [
    ['docter', {}, 'rekindle: there is no command "docter"\n  did you mean rekindle doctor?\n'],
    ['doctor --nmae x', {}, "rekindle: unknown option '--nmae' (Did you mean --name?)\n  see rekindle doctor --help\n"],
    [
      'heal --timeout soon',
      {},
      "rekindle: option '--timeout <duration>' argument 'soon' is invalid. Write a number with a unit, such as 90s, 5m or 1h30m.\n  see rekindle heal --help\n",
    ],
    [
      'heal --only kubelet-endpoint-stale',
      { clusters: [broken] },
      'rekindle: --only: there is no finding "kubelet-endpoint-stale"\n  did you mean node/kubelet-endpoint-stale?\n',
    ],
    [
      'heal',
      { clusters: [broken, makeCluster(makeHealthy('dev'))] },
      'rekindle: there are several kind clusters: idp-mvp and dev\n  say which one with --name\n',
    ],
    [
      'heal --name idp-mpv',
      { clusters: [broken] },
      'rekindle: there is no kind cluster "idp-mpv"\n  did you mean idp-mvp? this engine has idp-mvp\n',
    ],
    [
      'heal --name Idp',
      { clusters: [broken] },
      'rekindle: --name: "Idp" is no name of a kind cluster\n  kind allows lower-case letters, digits, dots and dashes\n',
    ],
    [
      'heal --context minikube',
      { clusters: [broken] },
      'rekindle: --context minikube is no context of a kind cluster\n  they are called kind-<cluster>; --name takes the cluster itself\n',
    ],
    [
      'heal --context kind-dev --name idp-mvp',
      { clusters: [broken] },
      'rekindle: --name idp-mvp and --context kind-dev are two clusters\n  give one of the two flags\n',
    ],
  ];
  test.each(cases)('rekindle %s', async (words, setting, text) => {
    const { exitCode, err, out } = await runCommand(words.split(' '), setting);
    expect({ exitCode, err, out }).toEqual({ exitCode: 2, err: text, out: '' });
  });
});

describe('the cluster meant', () => {
  const two = [makeCluster(makeCrashed('one')), makeCluster(makeCrashed('two'))];
  const pick = async (words: string, setting: CliSetting): Promise<unknown> => {
    const { out } = await runCommand([...words.split(' '), '-o', 'json'], setting);
    return (JSON.parse(out) as { cluster?: string; clusters?: { cluster: string }[] }).cluster ?? out;
  };
  test.each<[string, string, CliSetting]>([
    ['the only one', 'heal --dry-run', { clusters: [makeCluster(makeCrashed('two'))] }],
    ['--name', 'heal --dry-run --name two', { clusters: two }],
    ['--context', 'heal --dry-run --context kind-two', { clusters: two }],
    ['KIND_CLUSTER_NAME', 'heal --dry-run', { clusters: two, environment: { KIND_CLUSTER_NAME: 'two' } }],
    ['the current context', 'heal --dry-run', { clusters: two, currentContext: 'kind-two' }],
    [
      '--name before the environment',
      'heal --dry-run --name two',
      { clusters: two, environment: { KIND_CLUSTER_NAME: 'one' } },
    ],
  ])('%s', async (_what, words, setting) => expect(await pick(words, setting)).toBe('two'));
});

test('an internal error is one line, and its stack is shown on demand only', async () => {
  const setting = { clusters: [broken], failWith: new TypeError('undefined is not a function') };
  const quiet = await runCommand(['doctor'], setting);
  expect(quiet.err).toMatch(/^looking at|^rekindle: internal error: undefined is not a function\n {2}this is a fault/);
  expect(quiet.err).not.toContain('    at ');
  const loud = await runCommand(['doctor'], { ...setting, environment: { REKINDLE_DEBUG: '1' } });
  expect(loud.err).toContain('    at ');
});

test('options reach the engine', async () => {
  const { engine } = await runCommand(
    'heal --yes --only nodes/not-ready --only node/leftover-files --max-risk safe --timeout 90s --docker-host tcp://x:1 --kubeconfig k'.split(
      ' ',
    ),
    { clusters: [broken], environment: { KIND_EXPERIMENTAL_DOCKER_NETWORK: 'lab' } },
  );
  expect(engine.heals).toEqual([
    { only: ['nodes/not-ready', 'node/leftover-files'], maxRisk: 'safe', timeoutMs: 90_000, dryRun: false },
  ]);
  expect(engine.worlds).toEqual([{ dockerHost: 'tcp://x:1', kubeconfig: 'k', network: 'lab' }]);
});

describe('recorded facts', () => {
  const directory = mkdtempSync(join(tmpdir(), 'rekindle-facts-'));
  const write = (name: string, text: string): void => writeFileSync(join(directory, name), text);

  test('are judged without an engine', async () => {
    write('facts.json', JSON.stringify(makeFacts('idp-mvp')));
    const { exitCode, out, engine } = await runCommand(['doctor', '--from', 'facts.json'], {
      workingDirectory: directory,
    });
    expect(exitCode).toBe(1);
    expect(out).toContain('idp-mvp is broken');
    expect(out).not.toContain('rekindle heal');
    expect(engine.worlds).toEqual([]);
  });

  test.each([
    [
      'the place that does not fit',
      JSON.stringify({ ...makeFacts('x'), containers: { ok: true, value: [{ name: 3 }] } }),
      'containers.value[0].name',
    ],
    ['what is no JSON', '{', 'is not JSON'],
    ['another format', '{}', 'format'],
  ])('name %s', async (_what, text, expected) => {
    write('wrong.json', text);
    const { exitCode, err } = await runCommand(['doctor', '--from', 'wrong.json'], { workingDirectory: directory });
    expect(exitCode).toBe(2);
    expect(err).toContain(expected);
    expect(err).toContain('wrong.json');
  });
});
