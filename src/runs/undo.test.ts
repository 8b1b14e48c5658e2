import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Plan, PlannedStep, Step } from '../repairs/step.ts';
import type { JournalEntry, JournalRecord } from './journal.ts';
import { hash } from './names.ts';
import { makePlanned, stamp } from './testing.ts';
import { planRestore } from './undo.ts';
import { buildUndoPlan } from './undo-plan.ts';

interface File {
  readonly text: string;
  readonly mode: number;
}
/** Place to file; what is not there has no entry. */
type World = Map<string, File>;
const places = ['n1:/a', 'n1:/b', 'n2:/a', ':/home/ada/.kube/config'];

function locate(place: string): { node: string | null; path: string } {
  const [node = '', path = ''] = place.split(':');
  return { node: node === '' ? null : node, path };
}

const sha = (file: File | undefined): string | null => (file === undefined ? null : hash(file.text));

/** A step of the model: changes files one after the other, and says what it wrote before or after it acts. */
interface ModelStep {
  readonly writes: readonly { readonly place: string; readonly text: string | null }[];
  readonly tells: 'before' | 'after';
  readonly fails: boolean;
}

const text = fc.constantFrom('one', 'two', 'three', 'four', null);
const modelStep: fc.Arbitrary<ModelStep> = fc.record({
  writes: fc.array(fc.record({ place: fc.constantFrom(...places), text }), { minLength: 1, maxLength: 2 }),
  tells: fc.constantFrom('before' as const, 'after' as const),
  fails: fc.boolean(),
});
const modelWorld = fc.tuple(...places.map(() => text)).map((texts): World => {
  return new Map(
    texts.flatMap((each, index) => (each === null ? [] : [[places[index] ?? '', { text: each, mode: 0o600 + index }]])),
  );
});

interface Kept {
  readonly entries: JournalEntry[];
  readonly backups: Map<string, File>;
}

/** Runs steps in the model until they are through or `budget` things, entries or acts, have happened: then it crashes. */
function runModel(world: World, steps: readonly ModelStep[], budget: number): Kept {
  const kept: Kept = { entries: [], backups: new Map() };
  let left = budget;
  const happen = (act: () => void): void => {
    if (left-- <= 0) throw new Crash();
    act();
  };
  const record = (entry: JournalRecord): void => happen(() => kept.entries.push(...stamp([entry])));
  const planned = steps.map((_, index) =>
    makePlanned(String(index + 1), { kind: 'edit-file', node: 'n1', path: '/a', edits: [] }),
  );
  try {
    record({ type: 'planned', round: 1, plan: { steps: planned, unserved: [] } });
    for (const [index, { writes, tells, fails }] of steps.entries()) {
      const inStep = { round: 1, step: String(index + 1) };
      record({ type: 'step-started', ...inStep });
      for (const { place, text: contents } of writes) {
        const before = world.get(place);
        const where = { ...inStep, ...locate(place) };
        const backup = before === undefined ? null : `backups/${kept.backups.size}`;
        if (before !== undefined && backup !== null) kept.backups.set(backup, before);
        record({ type: 'backup', ...where, backup, sha256: sha(before), mode: before?.mode ?? 0, uid: 0, gid: 0 });
        const after = contents === null ? undefined : { text: contents, mode: 0o644 };
        const tell = (): void => record({ type: 'wrote', ...where, sha256: sha(after), copy: null });
        if (tells === 'before') tell();
        happen(() => (after === undefined ? world.delete(place) : world.set(place, after)));
        if (tells === 'after') tell();
      }
      record(fails ? { type: 'step-failed', ...inStep, reason: '' } : { type: 'step-done', ...inStep, note: '' });
    }
    record({ type: 'run-ended', verdict: 'healed', millisecondsToReady: null });
  } catch (error) {
    if (!(error instanceof Crash)) throw error;
  }
  return kept;
}

class Crash extends Error {}

/** Undo as a run of its own, which may crash as well. Answers its own journal, and the places it refused to touch. */
function undoModel(world: World, run: Kept, budget: number): Kept & { refused: string[] } {
  const kept: Kept = { entries: [], backups: new Map() };
  const refused: string[] = [];
  let left = budget;
  const happens = (): boolean => left-- > 0;
  const files = planRestore(run.entries).files;
  for (const [index, file] of files.entries()) {
    const place = `${file.node ?? ''}:${file.path}`;
    const inStep = { round: 1, step: String(index + 1) };
    const found = world.get(place);
    const original = file.backup === null ? undefined : run.backups.get(file.backup);
    if (!happens()) return { ...kept, refused };
    kept.entries.push(...stamp([{ type: 'step-started', ...inStep }]));
    if (!file.expected.includes(sha(found)) && !file.mayDiffer) {
      refused.push(place);
      continue;
    }
    const backup = found === undefined ? null : `backups/${index}`;
    if (found !== undefined && backup !== null) kept.backups.set(backup, found);
    const where = { ...inStep, ...locate(place) };
    kept.entries.push(
      ...stamp([
        { type: 'backup', ...where, backup, sha256: sha(found), mode: found?.mode ?? 0, uid: 0, gid: 0 },
        { type: 'wrote', ...where, sha256: file.sha256, copy: null },
      ]),
    );
    if (!happens()) return { ...kept, refused };
    if (original === undefined) world.delete(place);
    else world.set(place, { text: original.text, mode: file.mode });
    if (!happens()) return { ...kept, refused };
    kept.entries.push(...stamp([{ type: 'step-done', ...inStep, note: '' }]));
  }
  return { ...kept, refused };
}

/** What counts is in a file and how it may be read; of a file that was written back unchanged the mode is the run's. */
const show = (world: World): string[] => [...world].map(([place, { text: each }]) => `${place} ${each}`).toSorted();

const budget = fc.oneof(fc.integer({ min: 0, max: 40 }), fc.constant(1000));
const manySteps = fc.array(modelStep, { maxLength: 5 });

describe('undo', () => {
  it('brings every file back, wherever the run crashed and however often the undo did', () => {
    fc.assert(
      fc.property(
        modelWorld,
        manySteps,
        budget,
        fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 3 }),
        (world, made, until, cuts) => {
          const original = show(world);
          const run = runModel(world, made, until);
          for (const cut of cuts) undoModel(world, run, cut);
          const { refused } = undoModel(world, run, Number.POSITIVE_INFINITY);
          expect(refused).toEqual([]);
          expect(show(world)).toEqual(original);
        },
      ),
      { numRuns: 400 },
    );
  }, 60_000);

  it('can be undone itself', () => {
    fc.assert(
      fc.property(modelWorld, manySteps, budget, budget, (world, made, until, cut) => {
        const run = runModel(world, made, until);
        const crashed = show(world);
        const undone = undoModel(world, run, cut);
        expect(undoModel(world, undone, Number.POSITIVE_INFINITY).refused).toEqual([]);
        expect(show(world)).toEqual(crashed);
      }),
      { numRuns: 300 },
    );
  }, 60_000);

  it('touches no file that somebody else has changed since', () => {
    fc.assert(
      fc.property(modelWorld, manySteps, budget, fc.constantFrom(...places), (world, made, until, place) => {
        const run = runModel(world, made, until);
        world.set(place, { text: 'by hand', mode: 0o600 });
        const file = planRestore(run.entries).files.find((each) => `${each.node ?? ''}:${each.path}` === place);
        fc.pre(file?.mayDiffer !== true);
        undoModel(world, run, Number.POSITIVE_INFINITY);
        expect(world.get(place)).toEqual({ text: 'by hand', mode: 0o600 });
      }),
      { numRuns: 300 },
    );
  }, 60_000);

  it('knows what a step wrote that told it before it acted, however it was cut short', () => {
    const telling = fc.array(
      modelStep.map((step): ModelStep => ({ ...step, tells: 'before', fails: false })),
      { maxLength: 5 },
    );
    fc.assert(
      fc.property(modelWorld, telling, budget, (world, made, until) => {
        const run = runModel(world, made, until);
        const files = planRestore(run.entries).files;
        // Only between its backup and its word is a step unknown, and then it has not acted.
        for (const file of files) expect(file.expected).toContain(sha(world.get(`${file.node ?? ''}:${file.path}`)));
      }),
    );
  });
});

const node = 'idp-mvp-control-plane';
const conf = '/etc/kubernetes/kubelet.conf';
const manifest = '/etc/kubernetes/manifests/etcd.yaml';

function journal(steps: readonly Step[], ...records: JournalRecord[]): JournalEntry[] {
  const planned: PlannedStep[] = steps.map((step, index) => ({
    ...makePlanned(String(index + 1), step),
    risk: step.kind === 'restart-component' ? 'disruptive' : 'safe',
  }));
  const plan: Plan = { steps: planned, unserved: [] };
  return stamp([{ type: 'planned', round: 1, plan }, ...records]);
}

function change(
  step: string,
  path: string,
  before: string | null,
  after: string | null,
  on: string | null = node,
  round = 1,
): JournalRecord[] {
  const where = { round, step, node: on, path };
  const backup = before === null ? null : `backups/${hash(before).slice(0, 4)}`;
  const sha256 = before === null ? null : hash(before);
  return [
    { type: 'step-started', round, step },
    { type: 'backup', ...where, backup, sha256, mode: 0o600, uid: 1, gid: 2 },
    { type: 'wrote', ...where, sha256: after === null ? null : hash(after), copy: null },
  ];
}

const started = (step: string): JournalRecord => ({ type: 'step-started', round: 1, step });
const done = (step: string): JournalRecord => ({ type: 'step-done', round: 1, step, note: '' });
const edit = (path: string): Step => ({ kind: 'edit-file', node, path, edits: [] });
const policy = (name: string) => ({ name, maximumRetryCount: 0 });

describe('planRestore', () => {
  it('expects what the run last wrote, or the original', () => {
    const entries = journal(
      [edit(conf), edit(conf)],
      ...change('1', conf, 'a', 'b'),
      done('1'),
      ...change('2', conf, 'b', 'c'),
      done('2'),
    );
    expect(planRestore(entries).files).toMatchObject([
      {
        node,
        path: conf,
        backup: `backups/${hash('a').slice(0, 4)}`,
        sha256: hash('a'),
        mode: 0o600,
        uid: 1,
        gid: 2,
        expected: [hash('c'), hash('a')],
        mayDiffer: false,
        changedInBetween: false,
        changedBy: [{ id: '1' }, { id: '2' }],
      },
    ]);
    // Cut short in the second step: what was there before it is possible as well.
    expect(planRestore(entries.slice(0, -1)).files[0]?.expected).toEqual([hash('b'), hash('c'), hash('a')]);
    expect(planRestore(entries.slice(0, -2)).files[0]).toMatchObject({
      expected: [hash('b'), hash('a')],
      mayDiffer: true,
    });
  });

  it('tells steps of one id in two rounds apart', () => {
    const second = change('1', conf, 'b', 'c', node, 2);
    const entries = [...journal([edit(conf)], ...change('1', conf, 'a', 'b'), done('1')), ...stamp(second)];
    expect(planRestore(entries).files[0]?.expected).toEqual([hash('b'), hash('c'), hash('a')]);
  });

  it('notices that somebody else changed a file while the run was under way', () => {
    const entries = journal(
      [edit(conf), edit(conf)],
      ...change('1', conf, 'a', 'b'),
      done('1'),
      ...change('2', conf, 'x', 'y'),
    );
    expect(planRestore(entries).files[0]?.changedInBetween).toBe(true);
  });

  it('leaves alone what the run left as it was', () => {
    const same = journal([edit(conf)], ...change('1', conf, 'a', 'a'), done('1'));
    const looked = journal([edit(conf)], ...change('1', conf, 'a', 'b').slice(0, 2), done('1'));
    expect(planRestore(same).files).toEqual([]);
    expect(planRestore(looked).files).toEqual([]);
  });

  it('sets restart policies back over all that the run set, and tells what lasts', () => {
    const container = node;
    const entries = journal(
      [
        { kind: 'start-container', container },
        { kind: 'set-restart-policy', container, policy: policy('always'), previous: policy('on-failure') },
        { kind: 'set-restart-policy', container, policy: policy('unless-stopped'), previous: policy('always') },
        { kind: 'set-restart-policy', container: 'skipped', policy: policy('always'), previous: policy('no') },
      ],
      started('1'),
      done('1'),
      started('2'),
      done('2'),
      started('3'),
      { type: 'step-skipped', round: 1, step: '4', reason: '' },
    );
    const restore = planRestore(entries);
    expect(restore.policies.map(({ step }) => step)).toEqual([
      { kind: 'set-restart-policy', container, policy: policy('on-failure'), previous: policy('unless-stopped') },
    ]);
    expect(restore.lasting).toEqual([
      { what: `the container ${container} stays started`, reason: expect.stringContaining('docker stop') },
    ]);
  });
});

describe('buildUndoPlan', () => {
  it('puts files back in reverse on each node, then restarts what reads them', () => {
    const config = '/home/ada/.kube/config';
    const entries = journal(
      [
        edit(conf),
        { kind: 'restart-unit', node, unit: 'kubelet' },
        { kind: 'remove-file', node, path: manifest },
        { kind: 'restart-component', node, component: 'etcd' },
        { kind: 'restart-unit', node, unit: 'kubelet' },
        { kind: 'restart-unit', node: 'untouched', unit: 'kubelet' },
        { kind: 'merge-kubeconfig', path: config, context: 'kind-idp-mvp', server: 'https://127.0.0.1:1', node },
        { kind: 'set-restart-policy', container: node, policy: policy('always'), previous: policy('') },
        { kind: 'restart-unit', node, unit: 'containerd' },
      ],
      ...change('1', conf, 'a', 'b'),
      done('1'),
      started('2'),
      done('2'),
      ...change('3', manifest, 'm', null),
      done('3'),
      started('4'),
      { type: 'step-failed', round: 1, step: '4', reason: '' },
      started('5'),
      started('6'),
      done('6'),
      ...change('7', config, null, 'k', null),
      done('7'),
      started('8'),
      done('8'),
      { type: 'step-skipped', round: 1, step: '9', reason: '' },
    );
    const run = '20261130-181502-x4k2';
    const plan = buildUndoPlan(entries, run);
    expect(plan.unserved).toEqual([]);
    expect(plan.steps.map(({ id, step, title, needs, risk }) => ({ id, kind: step.kind, title, needs, risk }))).toEqual(
      [
        { id: '1', kind: 'restore-file', title: `remove ${config} on this host`, needs: [], risk: 'safe' },
        { id: '2', kind: 'restore-file', title: `put back ${manifest} on ${node}`, needs: [], risk: 'safe' },
        { id: '3', kind: 'restore-file', title: `put back ${conf} on ${node}`, needs: ['2'], risk: 'safe' },
        { id: '4', kind: 'restart-unit', title: `restart kubelet on ${node}`, needs: ['3'], risk: 'safe' },
        { id: '5', kind: 'restart-component', title: `restart etcd on ${node}`, needs: ['4'], risk: 'disruptive' },
        {
          id: '6',
          kind: 'set-restart-policy',
          title: `set the restart policy of ${node} back to no`,
          needs: [],
          risk: 'safe',
        },
      ],
    );
    expect(plan.steps[0]?.step).toEqual({ kind: 'restore-file', node: null, path: config, run, backup: 'absent' });
    expect(plan.steps[2]?.step).toMatchObject({ node, path: conf, run, backup: `backups/${hash('a').slice(0, 4)}` });
    expect(plan.steps[2]?.reasons).toEqual([`run ${run} changed it: step 1: edit-file`]);
  });

  it('is empty for a run that changed nothing', () => {
    expect(buildUndoPlan([], 'x')).toEqual({ steps: [], unserved: [] });
    expect(buildUndoPlan(journal([{ kind: 'wait-api' }], started('1'), done('1')), 'x').steps).toEqual([]);
  });
});
