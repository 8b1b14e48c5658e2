import { parse } from 'yaml';
import { describe, expect, test } from 'vitest';
import { publishedSchemas } from './documents.ts';
import { makeCluster } from './testing/fake-engine.ts';
import { type CliSetting, runCommand } from './testing/run.ts';
import { deadEngine, makeCrashed, makeCrashPlan, makeFacts, makeHealthy, makeUnknown } from './testing/samples.ts';

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
const broken: CliSetting = {
  clusters: [makeCluster(makeCrashed())],
  runs: [run],
  journal: [
    { type: 'planned', at: '', round: 1, plan: makeCrashPlan() },
    { type: 'snapshot', at: '', node: 'idp-mvp-control-plane', file: 'etcd.db', bytes: 9, sha256: '' },
    { type: 'step-started', at: '', round: 1, step: '1' },
    { type: 'step-done', at: '', round: 1, step: '1', note: '1 place changed' },
    { type: 'step-started', at: '', round: 1, step: '2' },
    { type: 'step-failed', at: '', round: 1, step: '2', reason: 'exit code 1' },
    { type: 'step-skipped', at: '', round: 1, step: '3', reason: 'step 2 failed' },
    { type: 'run-ended', at: '', verdict: 'remaining', millisecondsToReady: null },
  ],
  changes: [
    { node: null, path: '/home/ada/.kube/config', change: 'changed', summary: 'changed (9 bytes)', diff: null },
  ],
};
const several: CliSetting = {
  clusters: [makeCluster(makeCrashed()), makeCluster(makeHealthy('dev')), makeCluster(makeUnknown('lab'))],
};

describe('with -o json standard output is one document of the published schema', () => {
  const cases: [keyof typeof publishedSchemas, string, CliSetting][] = [
    ['status', '', several],
    ['status', '', {}],
    ['status', '', { failure: deadEngine }],
    ['doctor', 'doctor', several],
    ['doctor', 'doctor', {}],
    ['doctor', 'doctor', { failure: deadEngine }],
    ['heal', 'heal --yes', broken],
    ['heal', 'heal --yes -v', broken],
    ['heal', 'heal --dry-run', broken],
    ['heal', 'heal', broken],
    ['heal', 'undo last --yes', broken],
    ['runs', 'runs', broken],
    ['runs', 'runs', {}],
    ['runs', 'runs last', broken],
    ['explain', 'explain node/kubelet-endpoint-stale', {}],
    ['demo-list', 'demo --list', {}],
    ['error', 'heal --name other', several],
    ['error', 'demo --scenario runbok', {}],
    ['error', 'demo --keep', {}],
    ['error', 'heal --frobnicate', several],
    ['error', 'heal --yes', { failure: deadEngine }],
    ['error', 'docter', {}],
  ];
  test.each(cases)('%s: rekindle %s', async (schema, words, setting) => {
    const { out } = await runCommand([...words.split(' ').filter(Boolean), '-o', 'json'], setting);
    // Strict: a field that the schema does not name is a field that nobody can rely on.
    const document: unknown = JSON.parse(out);
    expect(publishedSchemas[schema].parse(document)).toEqual(document);
  });
});

test('yaml is the same document', async () => {
  const json = await runCommand(['doctor', '-o', 'json'], several);
  const yaml = await runCommand(['doctor', '-o', 'yaml'], several);
  expect(parse(yaml.out)).toEqual(JSON.parse(json.out));
});

test('the facts of the samples are facts', () => {
  expect(publishedSchemas.facts.safeParse(makeFacts('idp-mvp')).success).toBe(true);
});

test('progress stays off standard output, and off standard error too unless asked for', async () => {
  const quiet = await runCommand(['heal', '--yes', '-o', 'json'], broken);
  expect(quiet.err).toBe('');
  const loud = await runCommand(['heal', '--yes', '-o', 'json', '-v'], broken);
  expect(loud.err).toContain('step 2: restart the kubelet on idp-mvp-control-plane');
});

test('a heal that nobody could confirm says so', async () => {
  const { out, engine } = await runCommand(['heal', '-o', 'json'], broken);
  expect(JSON.parse(out)).toMatchObject({ verdict: 'unconfirmed', run: null, applied: [] });
  expect(engine.applied).toEqual([]);
});
