import { describe, expect, test } from 'vitest';
import { makeCluster } from './testing/fake-engine.ts';
import { type CliSetting, runCommand } from './testing/run.ts';
import { deadEngine, makeCrashed, makeDegraded, makeFacts, makeHealthy, makeUnknown } from './testing/samples.ts';

/** What people see, as it is; escape sequences are written so that they can be read. */
function show(text: string): string {
  return text.replaceAll('\u001b', '\\e');
}

const terminal = { stdin: 'terminal', stdout: 'terminal', stderr: 'terminal', columns: 84 } as const;
const crash: CliSetting = { clusters: [makeCluster(makeCrashed())] };
const all: CliSetting = {
  clusters: [
    makeCluster(makeCrashed()),
    makeCluster(makeHealthy('dev')),
    makeCluster(makeUnknown('lab')),
    makeCluster(makeDegraded('old')),
  ],
};
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
const runs: CliSetting = {
  ...crash,
  runs: [run],
  journal: [{ type: 'run-ended', at: '', verdict: 'healed', millisecondsToReady: 3100 }],
  changes: [
    {
      node: 'idp-mvp-control-plane',
      path: '/etc/kubernetes/kubelet.conf',
      change: 'changed',
      summary: 'changed (1679 bytes)',
      diff: '--- a\n+++ b\n@@ -5 +5 @@\n-    server: https://172.18.0.4:6443\n+    server: https://idp-mvp-control-plane:6443\n',
    },
  ],
};

const cases: [string, string, CliSetting][] = [
  ['status', '', all],
  ['doctor-crash', 'doctor', crash],
  ['doctor-crash-verbose', 'doctor -v', crash],
  ['doctor-all', 'doctor', all],
  ['doctor-healthy', 'doctor', { clusters: [makeCluster(makeHealthy())] }],
  ['doctor-unknown', 'doctor', { clusters: [makeCluster(makeUnknown())] }],
  ['doctor-no-engine', 'doctor', { failure: deadEngine }],
  ['doctor-no-clusters', 'doctor', {}],
  ['heal-crash', 'heal --yes', crash],
  ['heal-unconfirmed', 'heal', { ...crash, streams: { stdin: 'none' } }],
  ['heal-dry-run', 'heal --dry-run', crash],
  ['heal-remaining', 'heal --yes', { clusters: [makeCluster(makeCrashed(), { after: makeCrashed() })] }],
  ['heal-healthy', 'heal', { clusters: [makeCluster(makeHealthy())] }],
  ['undo', 'undo last --yes', runs],
  ['undo-dry-run', 'undo last --dry-run', runs],
  ['runs', 'runs', runs],
  ['run', 'runs last', runs],
  ['explain', 'explain node/kubelet-endpoint-stale', {}],
  ['help-bundle', 'bundle --help', {}],
  ['help', '--help', {}],
  ['help-heal', 'heal --help', {}],
  ['help-demo', 'demo --help', {}],
  ['demo-list', 'demo --list', {}],
];

describe('terminal', () => {
  test.each(cases)('%s', async (name, words, setting) => {
    const { streams } = await runCommand(words.split(' ').filter(Boolean), {
      ...setting,
      streams: { ...terminal, ...setting.streams },
    });
    await expect(show(streams.all())).toMatchFileSnapshot(`golden/terminal/${name}.txt`);
  });
});

describe('plain', () => {
  test.each(cases)('%s', async (name, words, setting) => {
    const { out, err } = await runCommand(words.split(' ').filter(Boolean), setting);
    await expect(`${show(out)}--- standard error\n${show(err)}`).toMatchFileSnapshot(`golden/plain/${name}.txt`);
  });
});

describe('json', () => {
  test.each(
    cases.filter(([name]) => ['doctor-crash', 'doctor-unknown', 'doctor-healthy', 'heal-crash'].includes(name)),
  )('%s', async (name, words, setting) => {
    const { out } = await runCommand([...words.split(' '), '-o', 'json'], setting);
    await expect(out).toMatchFileSnapshot(`golden/json/${name}.txt`);
  });
});

test('as a kubectl plugin it names itself as it is typed', async () => {
  const { out } = await runCommand(['doctor'], { ...crash, program: 'kubectl-rekindle' });
  expect(out).toContain('kubectl rekindle heal --name idp-mvp');
  const help = await runCommand(['--help'], { program: 'kubectl-rekindle' });
  expect(help.out).toContain('Usage: kubectl rekindle');
});

describe('colour', () => {
  const isColoured = async (setting: CliSetting, ...flags: string[]): Promise<boolean> =>
    (await runCommand(['doctor', ...flags], { ...crash, ...setting })).out.includes('\u001b[');
  test('on a terminal', async () => expect(await isColoured({ streams: terminal })).toBe(true));
  test('not in a pipe', async () => expect(await isColoured({})).toBe(false));
  test('not with --no-color', async () => expect(await isColoured({ streams: terminal }, '--no-color')).toBe(false));
  test('not with NO_COLOR', async () =>
    expect(await isColoured({ streams: terminal, environment: { NO_COLOR: '1', FORCE_COLOR: '1' } })).toBe(false));
  test('in a pipe with FORCE_COLOR', async () =>
    expect(await isColoured({ environment: { FORCE_COLOR: '1' } })).toBe(true));
  test('not on a dumb terminal', async () =>
    expect(await isColoured({ streams: terminal, environment: { TERM: 'dumb' } })).toBe(false));
});

test.each([60, 84, 200])('the result keeps to a terminal of %d columns, and to what can be read', async (columns) => {
  for (const words of ['doctor -v', 'heal --dry-run', 'explain node/kubelet-endpoint-stale', '']) {
    const { out } = await runCommand(words.split(' ').filter(Boolean), {
      ...all,
      environment: { KIND_CLUSTER_NAME: 'idp-mvp' },
      streams: { stdout: 'terminal', columns },
    });
    for (const line of strip(out).split('\n')) {
      const words = line.trim().split(/\s+/);
      // A single word that is too long, and a command to be copied, stand as they are.
      if (words.length > 2 && !/rekindle|docker|kind export/.test(line))
        expect(line.length).toBeLessThanOrEqual(Math.min(columns, 110));
    }
  }
});

describe('names and log lines from the outside', () => {
  const evil = '\u001b]0;owned\u0007\u001b[2Jidp\u009b31m\u202e\r\nfake: healthy';
  const diagnosis = makeCrashed();
  const hostile = makeCluster(
    {
      ...diagnosis,
      findings: diagnosis.findings.map((finding) => ({
        ...finding,
        subject: evil,
        summary: evil,
        evidence: [evil],
        cause: null,
      })),
      unknown: [{ check: evil, reason: evil }],
      skipped: [{ check: evil, reason: evil }],
    },
    { facts: makeFacts('idp-mvp') },
  );

  test.each(['doctor -v', 'heal --dry-run', 'heal --yes', '', 'doctor -o json', 'doctor -o yaml'])(
    'cannot steer the terminal through %s',
    async (words) => {
      for (const streams of [terminal, {}]) {
        const setting = { clusters: [hostile], environment: { NO_COLOR: '1' }, streams };
        const { out, err } = await runCommand(words.split(' ').filter(Boolean), setting);
        // Erasing and redrawing its own progress lines is the host's own doing.
        // oxlint-disable-next-line no-control-regex -- they are what is looked for
        const seen = out + err.replace(/\u001b\[\d+A\r\u001b\[0J/g, '');
        // oxlint-disable-next-line no-control-regex -- they are what is looked for
        expect(seen).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
        expect(seen).not.toMatch(/^fake: healthy/m);
      }
    },
  );
});

function strip(text: string): string {
  // oxlint-disable-next-line no-control-regex -- colours
  return text.replace(/\u001b\[\d+m/g, '');
}
