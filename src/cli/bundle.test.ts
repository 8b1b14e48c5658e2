import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import type { PassThrough } from 'node:stream';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { encodings, plantedSecrets, reveals } from '../bundle/testing/secrets.ts';
import { unpackAll } from '../bundle/testing/unpack.ts';
import { openRuns } from '../engine/state.ts';
import { type FakeWorld, makeFakeWorld } from '../engine/testing/fake-world.ts';
import { crashByRunbook } from '../engine/testing/healing.ts';
import type { World } from '../engine/world.ts';
import { publishedSchemas } from './documents.ts';
import type { EngineApi } from './engine-api.ts';
import { engine } from './engine.ts';
import { runCli } from './run.ts';
import { makeCluster } from './testing/fake-engine.ts';
import { type CliSetting, runCommand } from './testing/run.ts';
import { deadEngine, makeCrashed } from './testing/samples.ts';
import { type FakeStreamOptions, makeFakeStreams } from './testing/streams.ts';

const crash: CliSetting = { clusters: [makeCluster(makeCrashed())] };
const terminal = { stdin: 'terminal', stdout: 'terminal', stderr: 'terminal', columns: 84 } as const;
const written = 'rekindle-idp-mvp-20260504-091500.tar.gz';

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'rekindle-bundle-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

function show(text: string): string {
  return text.replaceAll('\u001b', '\\e');
}

const cases: [string, string, CliSetting][] = [
  ['bundle', 'bundle', crash],
  ['bundle-verbose', 'bundle -v', crash],
  ['bundle-no-engine', 'bundle', { failure: deadEngine }],
];

describe('what is shown', () => {
  test.each(cases)('on a terminal: %s', async (name, words, setting) => {
    const streams = terminal;
    const { streams: seen } = await runCommand(words.split(' '), {
      ...setting,
      streams,
      workingDirectory: makeFolder(),
    });
    await expect(show(seen.all())).toMatchFileSnapshot(`golden/terminal/${name}.txt`);
  });
  test.each(cases)('without one: %s', async (name, words, setting) => {
    const { out, err } = await runCommand(words.split(' '), { ...setting, workingDirectory: makeFolder() });
    await expect(`${show(out)}--- standard error\n${show(err)}`).toMatchFileSnapshot(`golden/plain/${name}.txt`);
  });
  test.each(cases)('as JSON: %s', async (name, words, setting) => {
    const command = [...words.split(' '), '-o', 'json'];
    const { out } = await runCommand(command, { ...setting, workingDirectory: makeFolder() });
    const document = publishedSchemas.bundle.parse(JSON.parse(out));
    expect(document).toEqual(JSON.parse(out));
    // How small gzip gets it depends on Node.
    await expect(`${JSON.stringify({ ...document, bytes: 0 }, null, 2)}\n`).toMatchFileSnapshot(
      `golden/json/${name}.txt`,
    );
  });
});

describe('the file', () => {
  test('is new, and for its owner alone', async () => {
    const workingDirectory = makeFolder();
    const { exitCode } = await runCommand(['bundle'], { ...crash, workingDirectory });
    expect(exitCode).toBe(0);
    expect(statSync(join(workingDirectory, written)).mode & 0o777).toBe(0o600);
    const files = await unpackAll(readFileSync(join(workingDirectory, written)));
    const manifest: unknown = JSON.parse(files.get(`${written.replace('.tar.gz', '')}/manifest.json`) ?? '');
    expect(publishedSchemas['bundle-manifest'].parse(manifest)).toEqual(manifest);
  });

  test('is not written over another', async () => {
    const workingDirectory = makeFolder();
    writeFileSync(join(workingDirectory, 'mine.tar.gz'), 'mine');
    writeFileSync(join(workingDirectory, written), 'mine');
    for (const words of ['bundle --output mine.tar.gz', 'bundle']) {
      const { exitCode, err } = await runCommand(words.split(' '), { ...crash, workingDirectory });
      expect(exitCode).toBe(2);
      expect(err).toMatch(/exists already, and is not overwritten\n {2}choose another name with --output\n$/);
    }
    expect(readdirSync(workingDirectory).map((name) => readFileSync(join(workingDirectory, name), 'utf8'))).toEqual([
      'mine',
      'mine',
    ]);
  });

  test('takes no name from a link that leads nowhere', async () => {
    const workingDirectory = makeFolder();
    symlinkSync('nowhere', join(workingDirectory, 'link'));
    const { exitCode, err } = await runCommand(['bundle', '--output', 'link'], { ...crash, workingDirectory });
    expect(exitCode).toBe(2);
    // Before anything is looked at.
    expect(err).toMatch(/^rekindle: \S+link exists already/);
    expect(readdirSync(workingDirectory)).toEqual(['link']);
  });

  test('is written by one of two that want its name, and whole', async () => {
    const workingDirectory = makeFolder();
    const both = await Promise.all(
      ['', ''].map(() => runCommand(['bundle', '--output', 'same.tar.gz'], { ...crash, workingDirectory })),
    );
    expect(both.map(({ exitCode }) => exitCode).toSorted((one, other) => one - other)).toEqual([0, 2]);
    expect(readdirSync(workingDirectory)).toEqual(['same.tar.gz']);
    const doctor = await runCommand(['doctor', '--from', 'same.tar.gz'], { workingDirectory });
    expect(doctor.out).toMatch(/^Recorded facts of /);
  });

  test('goes to standard output by itself', async () => {
    const streams = makeFakeStreams();
    const chunks: Buffer[] = [];
    (streams.stdout.raw as PassThrough).on('data', (chunk: Buffer) => chunks.push(chunk));
    const fake = await makeFakeWorld();
    const words = ['node', 'rekindle', 'bundle', '--output', '-'];
    expect(await runCli(words, fake.world.surroundings, streams, async () => overWorld(fake))).toBe(0);
    expect([...(await unpackAll(Buffer.concat(chunks))).keys()].some((name) => name.endsWith('facts.json'))).toBe(true);
    expect(streams.err()).toContain('standard output: ');
  });

  test.each<[string, FakeStreamOptions, string]>([
    ['bundle --output - -o json', {}, 'both want standard output'],
    ['bundle --output -', { stdout: 'terminal' }, 'not written to a terminal'],
    ['bundle --output json', {}, 'here --output is the file to write'],
    ['bundle --output no/such/folder.tar.gz', {}, 'is there such a folder?'],
    ['bundle --output ', {}, '--output "" names no file'],
    ['bundle --output new/', {}, '--output "new/" names no file'],
    ['bundle --output .', {}, 'is a folder'],
    ['bundle --name other', {}, 'there is no kind cluster "other"'],
    ['bundle -o yaml', {}, 'Allowed choices are table, json'],
  ])('is not written by rekindle %s', async (words, streams, message) => {
    const workingDirectory = makeFolder();
    const { exitCode, err } = await runCommand(words.split(' '), { ...crash, streams, workingDirectory });
    expect(exitCode).toBe(2);
    expect(err).toContain(message);
    expect(readdirSync(workingDirectory)).toEqual([]);
  });

  test('is written without an engine, with exit code 3', async () => {
    const workingDirectory = makeFolder();
    const { exitCode, out } = await runCommand(['bundle'], { failure: deadEngine, workingDirectory });
    expect(exitCode).toBe(3);
    expect(out).toContain('the state of the cluster: No Docker engine answers.');
    expect(readdirSync(workingDirectory)).toEqual(['rekindle-engine-20260504-091500.tar.gz']);
    const doctor = await runCommand(['doctor', '--from', 'rekindle-engine-20260504-091500.tar.gz'], {
      workingDirectory,
    });
    expect(doctor.out).toMatch(/^Recorded facts of /);
  });
});

describe('--from', () => {
  test('takes a bundle for doctor and explain', async () => {
    const workingDirectory = makeFolder();
    await runCommand(['bundle', '--output', 'b.tar.gz'], { ...crash, workingDirectory });
    const doctor = await runCommand(['doctor', '--from', 'b.tar.gz'], { workingDirectory });
    expect(doctor.exitCode).toBe(1);
    expect(doctor.out).toContain('idp-mvp is broken');
    expect(doctor.engine.worlds).toEqual([]);
    const explain = await runCommand(['explain', 'node/kubelet-endpoint-stale', '--from', 'b.tar.gz'], {
      workingDirectory,
    });
    expect(explain.exitCode).toBe(0);
    expect(explain.out).toContain('In the recording of idp-mvp (2026-05-04T09:15:00.000Z)');
    expect(explain.out).toContain('this node is 172.18.0.2');
    expect(explain.out).toContain('restart the kubelet on idp-mvp-control-plane');
    const json = await runCommand(['explain', 'node/leftover-files', '--from', 'b.tar.gz', '-o', 'json'], {
      workingDirectory,
    });
    expect(json.exitCode).toBe(3);
    const whole = await runCommand(['explain', 'node/kubelet-endpoint-stale', '--from', 'b.tar.gz', '-o', 'json'], {
      workingDirectory,
    });
    const document: unknown = JSON.parse(whole.out);
    expect(publishedSchemas.explain.parse(document)).toEqual(document);
  });

  test('without an id, explain names those that the recording shows', async () => {
    const workingDirectory = makeFolder();
    await runCommand(['bundle', '--output', 'b.tar.gz'], { ...crash, workingDirectory });
    const { exitCode, err } = await runCommand(['explain', '--from', 'b.tar.gz'], { workingDirectory });
    expect(exitCode).toBe(2);
    expect(err).toContain(
      'the recording shows nodes/not-ready, host/kubeconfig-port-stale, node/kubelet-endpoint-stale',
    );
  });

  test.each(['doctor --from', 'explain nodes/not-ready --from'])(
    '%s says what is wrong with a damaged one',
    async (words) => {
      const workingDirectory = makeFolder();
      await runCommand(['bundle', '--output', 'b.tar.gz'], { ...crash, workingDirectory });
      writeFileSync(
        join(workingDirectory, 'c.tar.gz'),
        readFileSync(join(workingDirectory, 'b.tar.gz')).subarray(0, 300),
      );
      const { exitCode, err } = await runCommand([...words.split(' '), 'c.tar.gz'], { workingDirectory });
      expect(exitCode).toBe(2);
      expect(err).toContain('--from c.tar.gz is a damaged gzip file: it ends too early');
      expect(err).toContain('it takes a file of `rekindle bundle`');
    },
  );
});

test.runIf(existsSync('/dev/zero'))('--from gives up on what never ends', async () => {
  const { exitCode, err } = await runCommand(['doctor', '--from', '/dev/zero'], {});
  expect(exitCode).toBe(2);
  expect(err).toContain('--from /dev/zero has more than 64 MB; no bundle is that large');
});

/** The real engine over a made-up cluster. */
function overWorld(fake: FakeWorld): EngineApi<World> {
  return { ...engine, openWorld: async () => fake.world };
}

test('a secret that is planted in a cluster is in no output', async () => {
  const fake = await makeFakeWorld();
  await crashByRunbook(fake);
  const { run, find } = fake.cluster;
  const planted = Object.values(plantedSecrets).flatMap((secrets, kind) =>
    fc.sample(secrets, { numRuns: 1, seed: 7 + kind }),
  );
  const encoded = Object.values(encodings).flatMap((encode) => planted.map(({ text }) => encode(text)));
  const all = encoded.join('\n');
  fake.cluster.run = async (node, argv) => {
    if (argv[0] === 'find') return { exitCode: 0, stdout: `==> 0.log\n${all}\n` };
    const answer = await run(node, argv);
    return argv[0] === 'journalctl' && answer !== undefined
      ? { ...answer, stdout: `${answer.stdout}${all}\n` }
      : answer;
  };
  const store = await openRuns(fake.world.surroundings).begin({
    command: 'heal',
    cluster: 'idp-mvp',
    engineId: 'ENGINE-1',
    version: '1.2.3',
    undoes: null,
  });
  for (const reason of encoded) await store.record({ type: 'step-failed', round: 1, step: '1', reason });
  await store.close();
  const worker = find('idp-mvp-worker');
  worker.facts = { ...worker.facts, error: all };
  // Names of other containers in the network, labels, and an error of a node's.
  const { engine: docker } = fake.world.engine as Extract<World['engine'], { ok: true }>;
  Object.assign(docker, {
    inspectNetwork: async () => ({
      id: 'kind',
      name: 'kind',
      driver: 'bridge',
      subnets: ['172.18.0.0/16'],
      gateways: [],
      members: encoded.map((container) => ({ container, ipv4: '', ipv6: '' })),
    }),
  });
  fake.onOperation = (container, operation) => {
    if (container === 'idp-mvp-worker2' && operation.op === 'read') throw new Error(`cannot read: ${all}`);
    if (container === 'idp-mvp-worker2' && operation.op === 'run')
      throw new Error(encoded[operation.argv.length] ?? all);
  };
  const folder = makeFolder();
  const surroundings = { ...fake.world.surroundings, workingDirectory: folder };
  const outputs: string[] = [];
  const call = async (...words: string[]): Promise<number> => {
    const streams = makeFakeStreams();
    const exitCode = await runCli(['node', 'rekindle', ...words], surroundings, streams, async () => overWorld(fake));
    outputs.push(streams.all());
    return exitCode;
  };
  expect(await call('bundle', '--output', 'a.tar.gz', '-v')).toBe(0);
  expect(await call('bundle', '--output', 'b.tar.gz', '-o', 'json', '-v')).toBe(0);
  expect(await call('doctor', '--from', 'a.tar.gz', '-v')).toBe(1);
  expect(await call('doctor', '--from', 'a.tar.gz', '-o', 'json')).toBe(1);
  expect(await call('explain', 'node/kubelet-endpoint-stale', '--from', 'a.tar.gz')).toBe(0);
  const files = await unpackAll(readFileSync(join(folder, 'a.tar.gz')));
  const everything = [...outputs, ...files.values()].join('\n');
  for (const { core, text } of planted)
    expect({ text, isFound: reveals(everything, core, 2) }).toMatchObject({ isFound: false });
  expect(everything).toContain('172.18.0.2');
  const manifest = publishedSchemas['bundle-manifest'].parse(JSON.parse([...files.values()][0] ?? ''));
  expect(new Set(manifest.removed.map(({ kind }) => kind)).size).toBeGreaterThan(12);
  for (const file of ['facts.json', 'manifest.json', 'logs/idp-mvp-control-plane/etcd.log'])
    expect(manifest.removed.map((removed) => removed.file)).toContain(file);
}, 120_000);
