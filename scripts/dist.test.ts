import { execFile, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';

/*
 * The program as it is shipped: what bundling does to libraries that are loaded late shows nowhere else. `npm test`
 * builds it first.
 */
const root = join(import.meta.dirname, '..');
const program = join(root, 'dist', 'rekindle.js');
const recording = join(root, 'docs', 'examples', 'runbook-crash.json');

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'rekindle-dist-'));
});
afterAll(() => rm(home, { recursive: true, force: true }));

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function run(...argv: string[]): Promise<Ended> {
  return runIn({}, ...argv);
}

async function runIn(more: Readonly<Record<string, string>>, ...argv: string[]): Promise<Ended> {
  const own = { PATH: process.env['PATH'], HOME: home, NO_COLOR: '1', DOCKER_HOST: `unix://${home}/no.sock` };
  const environment = { ...own, ...more };
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [program, ...argv], { env: environment });
    return { code: 0, out: stdout, err: stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, out: stdout, err: stderr };
  }
}

test('the version', async () => {
  expect(await run('--version')).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
});

test('the recorded crash, as table, JSON and YAML', async () => {
  const table = await run('doctor', '--from', recording);
  expect(table).toMatchObject({ code: 1, out: expect.stringContaining('node/kubelet-endpoint-stale') });
  expect(table.out).toContain('not a live cluster');
  const json = await run('doctor', '--from', recording, '-o', 'json');
  const yaml = await run('doctor', '--from', recording, '-o', 'yaml');
  expect(parse(yaml.out)).toEqual(JSON.parse(json.out));
});

test('a finding explained, from the page that is shipped beside it', async () => {
  const { code, out } = await run('explain', 'node/kubelet-endpoint-stale');
  expect(code).toBe(0);
  expect(out).toContain('systemctl restart kubelet');
});

test('the demo, in real time and from the shipped files alone', async () => {
  const { code, out, err } = await run('demo', '--no-pause', '--scenario', 'runbook-crash', '-o', 'json');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(JSON.parse(out)).toMatchObject({ simulated: true, heal: { verdict: 'healed' } });
}, 60_000);

test.each([
  ['doctor', false],
  ['demo --no-pause --scenario no-restart-policy', true],
])(
  '%s loads the simulated world: %s',
  async (words, expected) => {
    const coverage = await mkdtemp(join(home, 'coverage-'));
    await runIn({ NODE_V8_COVERAGE: coverage }, ...words.split(' '));
    const scripts = readdirSync(coverage)
      .flatMap((name) => readScripts(join(coverage, name)))
      .filter((url) => url.includes('/dist/'));
    expect(scripts.length).toBeGreaterThan(3);
    const worlds = scripts.filter((url) => readFileSync(fileURLToPath(url), 'utf8').includes('rekindle-world-'));
    expect(worlds.length > 0).toBe(expected);
  },
  60_000,
);

/** What Node.js has run, by its own account. */
function readScripts(file: string): string[] {
  const { result } = JSON.parse(readFileSync(file, 'utf8')) as { readonly result: readonly { readonly url: string }[] };
  return result.map(({ url }) => url);
}

test.each([
  ['no runs yet', ['runs'], 0],
  ['no engine for heal', ['heal', '--yes', '--name', 'idp-mvp'], 3],
  ['no engine for undo', ['undo', 'last', '--yes'], 2],
  ['no such run', ['runs', 'nothing'], 2],
  ['no engine to reach by ssh', ['doctor', '--docker-host', 'ssh://nobody@127.0.0.1:1'], 3],
  ['a finding that does not exist', ['explain', 'node/nothing'], 2],
])('%s', async (_, argv, code) => {
  const ended = await run(...argv);
  expect(ended, `${ended.err}${ended.out}`).toMatchObject({ code });
  expect(ended.err + ended.out).not.toContain('internal error');
});

/** Runs it with a file as standard output, or with a pipe that nobody reads. */
function runInto(stdout: 'closed pipe' | number): Promise<Ended> {
  const child = spawn(process.execPath, [program, 'doctor', '--from', recording], {
    env: { PATH: process.env['PATH'], HOME: home, NO_COLOR: '1' },
    stdio: ['ignore', stdout === 'closed pipe' ? 'pipe' : stdout, 'pipe'],
  });
  if (stdout === 'closed pipe') child.stdout?.destroy();
  let err = '';
  child.stderr?.on('data', (chunk: Buffer) => (err += chunk.toString()));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code: code ?? -1, out: '', err })));
}

test('a pipe closed early changes nothing of the exit code', async () => {
  expect(await runInto('closed pipe')).toMatchObject({ code: 1, err: '' });
});

test.runIf(existsSync('/dev/full'))('a full disk is told in a line, and is no finding', async () => {
  const full = await open('/dev/full', 'w');
  try {
    const ended = await runInto(full.fd);
    expect(ended).toMatchObject({ code: 3, err: expect.stringContaining('the output could not be written') });
    expect(ended.err.trim().split('\n')).toHaveLength(1);
  } finally {
    await full.close();
  }
});
