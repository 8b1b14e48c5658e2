import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type DemoDocument, publishedSchemas } from '../../../src/cli/documents.ts';
import { loadSimulation } from '../testing/simulation.ts';

const { rehearseDemo } = await loadSimulation();

/** Yesterday at noon: the certificates of the simulated cluster have to be valid by the real clock. */
const now = new Date(Date.now() - 86_400_000).setUTCHours(12, 0, 0, 0);
const terminal = { stdin: 'terminal', stdout: 'terminal', stderr: 'terminal', columns: 100 } as const;
/** Real milliseconds on a busy machine. */
const patience = 60_000;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'demo-'));
  vi.stubEnv('TMPDIR', folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
  // However it ended, nothing is left behind.
  const left = readdirSync(folder);
  rmSync(folder, { recursive: true });
  if (left.length > 0) throw new Error(`the demo has left ${left.join(', ')} behind`);
});

/** Without what differs from day to day, from folder to folder, and with the delays of the world. */
function show(text: string): string {
  return text
    .replace(/\S*rekindle-world-\w+/g, '<world>')
    .replace(/\b\d{8}-\d{6}-(\d{4})\b/g, '<run $1>')
    .replace(/(?<!\d)\d+\.\d s\b/g, '<time>')
    .replace(/(?<!\d)\d\d:\d\d:\d\d\b/g, '<clock>')
    .replaceAll('\u001b', '\\e');
}

async function readDocument(rehearsal: Partial<Parameters<typeof rehearseDemo>[0]> = {}): Promise<DemoDocument> {
  const { exitCode, out, err } = await rehearseDemo({ now, output: 'json', ...rehearsal });
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
  const document: unknown = JSON.parse(out);
  // Strict: a field that the schema does not name is a field that nobody can rely on.
  expect(publishedSchemas.demo.parse(document)).toEqual(document);
  return document as DemoDocument;
}

describe('the crash of the runbook', () => {
  test(
    'on a terminal',
    async () => {
      const { exitCode, out, err } = await rehearseDemo({ now, streams: terminal });
      expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
      await expect(show(out)).toMatchFileSnapshot('golden/terminal.txt');
    },
    patience,
  );

  test(
    'in a pipe',
    async () => {
      // The user's own environment does not reach the product that is shown.
      const environment = { DOCKER_HOST: 'unix:///nowhere.sock', KUBECONFIG: '/nowhere', KIND_CLUSTER_NAME: 'other' };
      const { exitCode, out, err } = await rehearseDemo({ now, environment });
      expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
      expect(out).not.toContain('\u001b');
      await expect(show(out)).toMatchFileSnapshot('golden/plain.txt');
    },
    patience,
  );

  test.each([1, 2])(
    'has the symptoms that the runbook names, and loses those that rekindle mends (seed %d)',
    async (seed) => {
      const { before, crashed, after, doctor, heal, remaining } = await readDocument({ seed });
      const statuses = (prefix: string) =>
        crashed.pods.filter(({ name }) => name.startsWith(prefix)).map(({ status }) => status);
      expect(before.urls.map(({ answer }) => answer)).toEqual([200, 200, 200, 200]);
      expect(before.pods.map(({ workload }) => workload)).toEqual(['catalog-exporter']);

      expect(crashed.nodes.map(({ name, status }) => [name, status])).toEqual([
        ['idp-mvp-control-plane', 'NotReady'],
        ['idp-mvp-worker', 'Ready'],
        ['idp-mvp-worker2', 'Ready'],
      ]);
      expect(crashed.nodes[0]?.internalAddress).not.toBe(crashed.nodes[0]?.dockerAddress);
      expect(statuses('ingress-nginx').toSorted()).toEqual(['Pending', 'Terminating']);
      expect(statuses('kube-proxy').length).toBeGreaterThanOrEqual(2);
      expect(statuses('kagent-controller')).toHaveLength(1);
      expect(crashed.urls.map(({ answer }) => answer)).toEqual([null, null, null, null]);
      expect(doctor.clusters[0]?.findings.map(({ id }) => id)).toContain('node/kubelet-endpoint-stale');

      expect(heal).toMatchObject({ verdict: 'healed', diagnosis: { findings: [] } });
      expect(after.nodes.map(({ status }) => status)).toEqual(['Ready', 'Ready', 'Ready']);
      expect(after.urls.filter(({ answer }) => answer === 200)).toHaveLength(3);
      const left = new Map(remaining.map((remainder) => [remainder.workload, remainder]));
      expect(left.get('kube-system/kube-proxy')?.lastWords).toContain('too many open files');
      expect(left.get('kagent/kagent-controller')).toMatchObject({ beforeTheCrash: false });
      expect(left.get('monitoring/catalog-exporter')).toMatchObject({ beforeTheCrash: true });
    },
    patience,
  );

  test(
    'goes the same way each time with one seed',
    async () => {
      const [one, other] = [await readDocument({ seed: 5 }), await readDocument({ seed: 5 })];
      const { crashed, after, story, heal } = one;
      expect({ crashed, after, story }).toEqual({ crashed: other.crashed, after: other.after, story: other.story });
      expect(other.heal.applied).toEqual(heal.applied);
    },
    patience,
  );
});

describe('a scenario by name', () => {
  test(
    'is staged, diagnosed and mended',
    async () => {
      const { scenario, crashed, doctor, heal, after } = await readDocument({ scenario: 'worker-stopped' });
      expect(scenario).toBe('worker-stopped');
      expect(crashed.nodes.find(({ name }) => name === 'idp-mvp-worker')?.dockerAddress).toBe('');
      expect(doctor.clusters[0]?.findings.map(({ id }) => id)).toContain('containers/node-stopped');
      expect(heal.verdict).toBe('healed');
      expect(after.nodes.map(({ status }) => status)).toEqual(['Ready', 'Ready', 'Ready']);
    },
    patience,
  );

  test(
    'is left alone where it is well',
    async () => {
      const { heal } = await readDocument({ scenario: 'unharmed-restart' });
      expect(heal).toMatchObject({ verdict: 'healthy', run: null, applied: [] });
    },
    patience,
  );
});

test(
  '--keep tells the way in, and heals nothing',
  async () => {
    const environment = { DOCKER_CONTEXT: 'desktop-linux', KIND_CLUSTER_NAME: 'mine', DOCKER_TLS_VERIFY: '' };
    const { exitCode, out } = await rehearseDemo({ now, keep: true, environment, interruptAt: 'Ctrl-C' });
    expect(exitCode).toBe('interrupted');
    expect(out).toContain('unset DOCKER_CONTEXT KIND_CLUSTER_NAME\n');
    expect(out).toContain(`export DOCKER_HOST=unix://${folder}/`);
    expect(out).not.toContain('$ rekindle');
  },
  patience,
);

test(
  'what --keep prints can be pasted whatever the temporary folder is called',
  async () => {
    const odd = join(folder, "a b'$(c)");
    mkdirSync(odd);
    vi.stubEnv('TMPDIR', odd);
    const { out } = await rehearseDemo({ now, keep: true, interruptAt: 'Ctrl-C' });
    expect(readdirSync(odd)).toEqual([]);
    rmSync(odd, { recursive: true });
    const exports = out.split('\n').filter((line) => line.includes('export '));
    const shell = spawnSync('sh', ['-c', `${exports.join('\n')}\nprintf %s "$KUBECONFIG"`], { encoding: 'utf8' });
    expect(shell.stdout).toMatch(/^\/.*\/a b'\$\(c\)\/rekindle-world-\w+\/home\/\.kube\/config$/);
  },
  patience,
);

test(
  'works where the temporary folder is too long for a socket',
  async () => {
    const long = join(folder, 'x'.repeat(100));
    mkdirSync(long);
    vi.stubEnv('TMPDIR', long);
    const { heal } = await readDocument({ scenario: 'no-restart-policy' });
    expect(heal.verdict).toBe('healed');
    expect(readdirSync(long)).toEqual([]);
    rmSync(long, { recursive: true });
  },
  patience,
);

test('says so where there is no temporary folder', async () => {
  vi.stubEnv('TMPDIR', join(folder, 'nothing'));
  await expect(rehearseDemo({ now })).rejects.toMatchObject({
    name: 'BlockedError',
    message: expect.stringMatching(/^no temporary folder can be made: ENOENT/) as string,
    hint: expect.stringContaining('TMPDIR') as string,
  });
});

test.each(['Docker crashes', '$ rekindle doctor', 'step 2: '])(
  'Ctrl-C at "%s" ends it',
  async (interruptAt) => {
    const { exitCode, out, err } = await rehearseDemo({ now, interruptAt });
    expect(exitCode).toBe('interrupted');
    expect(out).not.toContain('Not yet mended');
    // Told by what was cut short, or by the demo that never said anything of it.
    expect((out + err).match(/interrupted/g)?.length ?? 0).toBeLessThanOrEqual(1);
  },
  patience,
);

test.each([
  [{ scenario: 'runbok' }, /no scenario "runbok"/],
  [{ keep: true, output: 'json' }, /--keep/],
] as const)('%j is refused', async (options, message) => {
  await expect(rehearseDemo({ now, ...options })).rejects.toThrow(message);
});
