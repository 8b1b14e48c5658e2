import { appendFile, chmod, type FileHandle, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJournal } from './entry.ts';
import { RunNotFoundError, StateError } from './errors.ts';
import { diskFiles, type StateFiles } from './files.ts';
import type { JournalEntry } from './journal.ts';
import { acquireLock, lockDirectory, lockKey } from './lock.ts';
import { hash } from './names.ts';
import { resolveRun } from './resolve.ts';
import { makePlanned, makeTemporaryFolder, openTestStore, start } from './testing.ts';
import { buildUndoPlan } from './undo-plan.ts';

const where = { round: 1, step: '1', node: 'idp-mvp-control-plane', path: '/etc/kubernetes/kubelet.conf' };
const file = (text: string) => ({ contents: Buffer.from(text), mode: 0o600, uid: 0, gid: 0 });

async function listTree(folder: string): Promise<{ path: string; mode: string }[]> {
  const found = [];
  for (const name of (await readdir(folder, { recursive: true })).toSorted()) {
    const { mode } = await stat(join(folder, name));
    found.push({ path: name, mode: (mode & 0o777).toString(8) });
  }
  return found;
}

/** Puts a word in before a file is written, with the bytes that shall be written instead, or flushed. */
function watchHandle(
  handle: FileHandle,
  watch: { readonly write?: (bytes: Uint8Array) => unknown; readonly sync?: () => unknown },
): FileHandle {
  return new Proxy(handle, {
    get(target, name) {
      if (name === 'write' || name === 'writeFile') {
        return async (bytes: Uint8Array) => {
          const instead = watch.write?.(bytes);
          const written = instead instanceof Uint8Array ? instead : bytes;
          return name === 'write' ? await target.write(written) : await target.writeFile(written);
        };
      }
      if (name === 'sync') {
        return async () => {
          watch.sync?.();
          await target.sync();
        };
      }
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** Lets only so many more bytes into journals, as a disk that runs full does. */
function limitJournal(): { files: StateFiles; left: { bytes: number } } {
  const left = { bytes: Number.POSITIVE_INFINITY };
  const files: StateFiles = {
    ...diskFiles,
    async open(path, flags, mode) {
      const handle = await diskFiles.open(path, flags, mode);
      if (!path.endsWith('journal.jsonl')) return handle;
      return watchHandle(handle, {
        write: (bytes) => {
          const fits = Math.min(bytes.length, left.bytes);
          left.bytes -= fits;
          if (fits === 0) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
          return bytes.subarray(0, fits);
        },
      });
    },
  };
  return { files, left };
}

async function openFilled() {
  const times = ['2026-11-29T08:00:00Z', '2026-11-30T18:15:02Z', '2026-11-30T19:00:00Z'];
  const ids = ['aaaa', 'x4k2', 'bbbb'];
  let now = new Date(0);
  const store = openTestStore(await makeTemporaryFolder(), {
    clock: { now: () => now },
    randomId: () => ids.shift() ?? '',
  });
  for (const [index, time] of times.entries()) {
    now = new Date(time);
    await store.begin({ ...start, cluster: index === 2 ? 'other' : 'idp-mvp' });
  }
  return store;
}

describe('a run', () => {
  it('is kept in a folder named by time, with its journal, backups, results and snapshots', async () => {
    const directory = join(await makeTemporaryFolder(), 'rekindle');
    const store = openTestStore(directory);
    const run = await store.begin(start);
    expect(run.id).toBe('20261130-181502-x0k2');
    await run.record({ type: 'step-started', round: 1, step: '1' });
    await run.keepBackup(where, { contents: Buffer.from('old'), mode: 0o640, uid: 1, gid: 2 });
    await run.keepResult(where, Buffer.from('new'));
    await run.record({ type: 'step-done', round: 1, step: '1', note: '' });
    expect(await run.keepSnapshot('idp-mvp-control-plane', Buffer.from('db'))).toBe(
      join(run.directory, 'etcd-idp-mvp-control-plane.db'),
    );
    await run.record({ type: 'run-ended', verdict: 'healed', millisecondsToReady: 61_000 });

    const entries = await store.read(run.id);
    expect(entries.map((entry) => entry.type)).toEqual([
      'run-started',
      'step-started',
      'backup',
      'wrote',
      'step-done',
      'snapshot',
      'run-ended',
    ]);
    expect(entries[0]).toMatchObject({ ...start, run: run.id, at: '2026-11-30T18:15:03.000Z' });
    expect(entries[2]).toMatchObject({
      ...where,
      backup: 'backups/0001',
      sha256: hash('old'),
      mode: 0o640,
      uid: 1,
      gid: 2,
    });
    expect(entries[3]).toMatchObject({ ...where, copy: 'results/0001', sha256: hash('new') });
    expect((await store.readStored(run.id, 'backups/0001')).toString()).toBe('old');
    expect((await store.readStored(run.id, 'results/0001')).toString()).toBe('new');
    expect((await store.readStored(run.id, 'etcd-idp-mvp-control-plane.db')).toString()).toBe('db');
    await expect(run.record({ type: 'step-started', round: 2, step: '1' })).rejects.toThrow(/has ended/);
  });

  it('is readable by its owner only, whatever the umask and the folders were', async () => {
    const directory = await makeTemporaryFolder();
    await mkdir(join(directory, 'runs'));
    await chmod(join(directory, 'runs'), 0o777);
    const before = process.umask(0);
    try {
      const run = await openTestStore(directory).begin(start);
      await run.keepBackup(where, file('secret'));
      await run.keepResult(where, Buffer.from('secret too'));
      await run.keepSnapshot('node', Buffer.from('db'));
      expect(await listTree(directory)).toEqual([
        { path: 'runs', mode: '700' },
        { path: `runs/${run.id}`, mode: '700' },
        { path: `runs/${run.id}/backups`, mode: '700' },
        { path: `runs/${run.id}/backups/0001`, mode: '600' },
        { path: `runs/${run.id}/etcd-node.db`, mode: '600' },
        { path: `runs/${run.id}/journal.jsonl`, mode: '600' },
        { path: `runs/${run.id}/results`, mode: '700' },
        { path: `runs/${run.id}/results/0001`, mode: '600' },
      ]);
    } finally {
      process.umask(before);
    }
  });

  it('keeps bytes it has kept before only once, and records each backup all the same', async () => {
    const store = openTestStore(await makeTemporaryFolder());
    const run = await store.begin(start);
    await run.keepBackup(where, file('a'));
    await run.keepBackup({ ...where, step: '2' }, file('b'));
    await run.keepBackup({ ...where, step: '3' }, file('a'));
    await run.keepBackup({ ...where, step: '4' }, null);
    const names = (await store.read(run.id)).flatMap((entry) => (entry.type === 'backup' ? [entry.backup] : []));
    expect(names).toEqual(['backups/0001', 'backups/0002', 'backups/0001', null]);
    expect(await readdir(join(run.directory, 'backups'))).toEqual(['0001', '0002']);
  });

  it('writes whole lines when steps report side by side', async () => {
    const store = openTestStore(await makeTemporaryFolder());
    const run = await store.begin(start);
    const steps = Array.from({ length: 40 }, (_, index) => String(index));
    await Promise.all(steps.map(async (step) => await run.keepBackup({ ...where, step }, file(step))));
    const backups = (await store.read(run.id)).filter((entry) => entry.type === 'backup');
    expect(backups.map((entry) => entry.step).toSorted()).toEqual(steps.toSorted());
    for (const entry of backups) {
      expect((await store.readStored(run.id, entry.backup ?? '')).toString()).toBe(entry.step);
    }
  });

  it('flushes each line before record resolves, and a new file before its name', async () => {
    const log: string[] = [];
    const files: StateFiles = {
      ...diskFiles,
      async open(path, flags, mode) {
        const handle = await diskFiles.open(path, flags, mode);
        const name = path.split('/').slice(-2).join('/');
        return watchHandle(handle, {
          write: () => log.push(`write ${name}`),
          sync: () => log.push(`sync ${name}`),
        });
      },
      async rename(from, to) {
        log.push(`rename ${to.split('/').slice(-2).join('/')}`);
        await diskFiles.rename(from, to);
      },
    };
    const run = await openTestStore(await makeTemporaryFolder(), { files }).begin(start);
    log.length = 0;
    await run.keepBackup(where, file('old'));
    expect(log).toEqual([
      'write backups/.0001.new',
      'sync backups/.0001.new',
      'rename backups/0001',
      `sync ${run.id}/backups`,
      `write ${run.id}/journal.jsonl`,
      `sync ${run.id}/journal.jsonl`,
    ]);
  });

  it('takes another name where one is taken', async () => {
    const directory = await makeTemporaryFolder();
    const now = new Date('2026-11-30T18:15:02Z');
    const ids = ['same', 'same', 'other', '../../etc'];
    const store = openTestStore(directory, { clock: { now: () => now }, randomId: () => ids.shift() ?? 'same' });
    expect((await store.begin(start)).id).toBe('20261130-181502-same');
    expect((await store.begin(start)).id).toBe('20261130-181502-othe');
    expect((await store.begin(start)).id).toBe('20261130-181502-etc0');
    await expect(store.begin(start)).rejects.toThrow(StateError);
  });

  it('lets no node name out of its folder', async () => {
    const store = openTestStore(await makeTemporaryFolder());
    const run = await store.begin({ ...start, cluster: '../../evil' });
    const first = await run.keepSnapshot('../../evil', Buffer.from('1'));
    const second = await run.keepSnapshot('../../evil', Buffer.from('2'));
    const long = await run.keepSnapshot('n'.repeat(5000), Buffer.from('3'));
    expect(new Set([first, second, long].map((path) => path.slice(0, path.lastIndexOf('/'))))).toEqual(
      new Set([run.directory]),
    );
    const names = (await store.read(run.id)).flatMap((entry) => (entry.type === 'snapshot' ? [entry.file] : []));
    expect(names).toHaveLength(3);
    for (const [index, name] of names.entries()) {
      expect((await store.readStored(run.id, name)).toString()).toBe(String(index + 1));
    }
  });
});

describe('a disk that refuses', () => {
  it.each([0, 1, 30])('is told clearly, and leaves a journal that can go on (%d bytes left)', async (bytes) => {
    const { files, left } = limitJournal();
    const store = openTestStore(await makeTemporaryFolder(), { files });
    const run = await store.begin(start);
    left.bytes = bytes;
    const failed = await run.record({ type: 'step-started', round: 1, step: '1' }).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(StateError);
    expect(failed).toMatchObject({ code: 'ENOSPC', path: join(run.directory, 'journal.jsonl') });
    expect(String(failed)).toMatch(
      /cannot write the journal of run .*: the disk is full \(.*\)\. Free some space there/,
    );
    left.bytes = Number.POSITIVE_INFINITY;
    await run.record({ type: 'step-started', round: 1, step: '2' });
    expect((await store.read(run.id)).slice(1)).toMatchObject([{ type: 'step-started', step: '2' }]);
  });

  it('ends the journal where a flush failed, since nobody knows what reached the disk', async () => {
    let broken = false;
    const files: StateFiles = {
      ...diskFiles,
      async open(path, flags, mode) {
        const handle = await diskFiles.open(path, flags, mode);
        return watchHandle(handle, {
          sync: () => {
            if (broken) throw Object.assign(new Error('EIO: i/o error, fsync'), { code: 'EIO' });
          },
        });
      },
    };
    const run = await openTestStore(await makeTemporaryFolder(), { files }).begin(start);
    broken = true;
    await expect(run.record({ type: 'step-started', round: 1, step: '1' })).rejects.toThrow(/disk reported an error/);
    broken = false;
    await expect(run.record({ type: 'step-started', round: 1, step: '1' })).rejects.toThrow(/disk reported an error/);
  });

  it('records no backup that could not be kept', async () => {
    const store = openTestStore(await makeTemporaryFolder());
    const run = await store.begin(start);
    await rm(join(run.directory, 'backups'), { recursive: true });
    await writeFile(join(run.directory, 'backups'), 'in the way');
    await expect(run.keepBackup(where, file('old'))).rejects.toThrow(
      /cannot keep a file of run .*a part of the path is a file/,
    );
    expect((await store.read(run.id)).map((entry) => entry.type)).toEqual(['run-started']);
    await rm(join(run.directory, 'backups'));
    await mkdir(join(run.directory, 'backups'));
    await run.keepBackup(where, file('old'));
    expect((await store.read(run.id)).map((entry) => entry.type)).toEqual(['run-started', 'backup']);
  });

  it('is told when a run begins in a place that cannot hold it', async () => {
    const folder = await makeTemporaryFolder();
    await writeFile(join(folder, 'file'), '');
    const begun = openTestStore(join(folder, 'file', 'rekindle')).begin(start);
    await expect(begun).rejects.toThrow(StateError);
    await expect(begun).rejects.toThrow(/XDG_DATA_HOME/);
  });
});

describe('reading', () => {
  it('gives a prefix of the entries, wherever a crash cut the journal', async () => {
    const store = openTestStore(await makeTemporaryFolder());
    const run = await store.begin({ ...start, cluster: 'zwölf-🔥' });
    const plan = {
      steps: [makePlanned('1', { kind: 'start-container', container: 'idp-mvp-control-plane' })],
      unserved: [],
    };
    await run.record({ type: 'planned', round: 1, plan });
    await run.keepBackup(where, file('old'));
    await run.record({ type: 'step-failed', round: 1, step: '1', reason: 'line one\nline two' });
    await run.record({ type: 'run-ended', verdict: 'remaining', millisecondsToReady: null });
    const path = join(run.directory, 'journal.jsonl');
    const whole = await readFile(path);
    const entries = await store.read(run.id);
    expect(entries).toHaveLength(5);
    const lengths = new Set<number>();
    for (let cut = 0; cut <= whole.length; cut++) {
      const read = parseJournal(whole.subarray(0, cut), path);
      expect(() => buildUndoPlan(read, run.id)).not.toThrow();
      expect(read).toEqual(entries.slice(0, read.length));
      // As many as there are whole lines: what was acknowledged is never lost.
      expect(read).toHaveLength(whole.subarray(0, cut).toString('latin1').split('\n').length - 1);
      lengths.add(read.length);
    }
    expect([...lengths]).toEqual([0, 1, 2, 3, 4, 5]);
    await writeFile(path, whole.subarray(0, -1));
    expect(await store.read(run.id)).toEqual(entries.slice(0, 4));
  });

  it('leaves out a last line of which only some blocks reached the disk', async () => {
    const store = openTestStore(await makeTemporaryFolder());
    const run = await store.begin(start);
    await appendFile(join(run.directory, 'journal.jsonl'), `${'\0'.repeat(40)}"step":"1"}\n`);
    expect(await store.read(run.id)).toHaveLength(1);
  });

  it('names file and line of damage in the middle, and still lists the run', async () => {
    const directory = await makeTemporaryFolder();
    const store = openTestStore(directory);
    const run = await store.begin(start);
    const path = join(run.directory, 'journal.jsonl');
    await appendFile(path, '{"type":"step-sta\n');
    await run.record({ type: 'step-started', round: 1, step: '1' });
    await expect(store.read(run.id)).rejects.toThrow(`${path}, line 2: the line is damaged`);
    expect(await store.list()).toMatchObject([{ id: run.id, state: 'interrupted' }]);
  });

  it('refuses an entry it does not know', async () => {
    const store = openTestStore(await makeTemporaryFolder());
    const run = await store.begin(start);
    await appendFile(join(run.directory, 'journal.jsonl'), '{"type":"prophecy","at":"2027-01-01T00:00:00Z"}\n');
    await expect(store.read(run.id)).rejects.toThrow(/line 2: the entry is not one this version of rekindle knows/);
  });

  it.each(['../runs', '..', '', 'journal.jsonl', '20261130-181502-x4k2/../x', '/etc', '20261130-181502-nope'])(
    'finds no run %j',
    async (id) => {
      const store = openTestStore(await makeTemporaryFolder());
      await store.begin(start);
      await expect(store.read(id)).rejects.toThrow(RunNotFoundError);
      await expect(store.readStored(id, 'backups/0001')).rejects.toThrow(/run/);
    },
  );

  it.each([
    '../../secret',
    'backups/../../secret',
    'journal.jsonl',
    '/etc/passwd',
    'backups/',
    'etcd-../../../secret.db',
  ])('gives out no %j', async (name) => {
    const directory = await makeTemporaryFolder();
    const store = openTestStore(directory);
    const run = await store.begin(start);
    await writeFile(join(directory, 'secret'), 'secret');
    await expect(store.readStored(run.id, name)).rejects.toThrow(/is not the name of a file/);
  });

  it('gives back any journal as it was recorded', async () => {
    const text = fc.string({ unit: 'binary' });
    await fc.assert(
      fc.asyncProperty(text, text, fc.uint8Array(), async (step, note, contents) => {
        const store = openTestStore(await makeTemporaryFolder());
        const run = await store.begin({ ...start, cluster: note });
        await run.record({ type: 'step-done', round: 1, step, note });
        await run.keepBackup({ round: 1, step, node: null, path: note }, { contents, mode: 0, uid: 0, gid: 0 });
        const [first, second, third] = await store.read(run.id);
        expect(first).toMatchObject({ cluster: note });
        expect(second).toMatchObject({ step, note });
        expect(third).toMatchObject({ path: note, backup: 'backups/0001' });
        expect(new Uint8Array(await store.readStored(run.id, 'backups/0001'))).toEqual(contents);
      }),
      { numRuns: 20 },
    );
  }, 60_000);
});

describe('list', () => {
  const holder = { pid: 4711, host: 'laptop', command: 'rekindle heal', since: '2026-11-30T18:15:00.000Z' };
  const end: Omit<Extract<JournalEntry, { type: 'run-ended' }>, 'at'> = {
    type: 'run-ended',
    verdict: 'healed',
    millisecondsToReady: null,
  };

  it('is empty before the first run, and makes no folder', async () => {
    const directory = join(await makeTemporaryFolder(), 'rekindle');
    expect(await openTestStore(directory).list()).toEqual([]);
    await expect(stat(directory)).rejects.toThrow(/ENOENT/);
  });

  it('tells the newest first, with what became of each', async () => {
    const store = openTestStore(await makeTemporaryFolder());
    const first = await store.begin(start);
    await first.record({ type: 'step-done', round: 1, step: '1', note: '' });
    await first.record(end);
    const second = await store.begin({ ...start, command: 'undo', undoes: first.id });
    expect(await store.list()).toEqual([
      {
        id: second.id,
        command: 'undo',
        cluster: 'idp-mvp',
        startedAt: expect.any(String),
        state: 'interrupted',
        verdict: null,
        stepsDone: 0,
        undoes: first.id,
      },
      {
        id: first.id,
        command: 'heal',
        cluster: 'idp-mvp',
        startedAt: '2026-11-30T18:15:03.000Z',
        state: 'ended',
        verdict: 'healed',
        stepsDone: 1,
        undoes: null,
      },
    ]);
  });

  it('leaves out what is no run, and a run that never got as far as its first entry', async () => {
    const directory = await makeTemporaryFolder();
    const store = openTestStore(directory);
    const run = await store.begin(start);
    await mkdir(join(directory, 'runs', '20261130-181599-dead'));
    await mkdir(join(directory, 'runs', '20261130-181598-dead'));
    await writeFile(join(directory, 'runs', '20261130-181598-dead', 'journal.jsonl'), '{"type":"run-st');
    await writeFile(join(directory, 'runs', 'notes.txt'), '');
    expect((await store.list()).map(({ id }) => id)).toEqual([run.id]);
  });

  it('calls a run without an end running as long as somebody alive holds its lock', async () => {
    const directory = await makeTemporaryFolder();
    let alive = true;
    const store = openTestStore(directory, { isAlive: () => alive });
    const key = lockKey(start.cluster, start.engineId);
    const lock = await acquireLock({ directory: lockDirectory(directory), key, holder, isAlive: () => alive });
    const cut = await store.begin(start);
    const running = await store.begin(start);
    const other = await store.begin({ ...start, cluster: 'other' });
    const states = async () => Object.fromEntries((await store.list()).map(({ id, state }) => [id, state]));
    expect(await states()).toEqual({ [cut.id]: 'interrupted', [running.id]: 'running', [other.id]: 'interrupted' });
    alive = false;
    expect((await states())[running.id]).toBe('interrupted');
    alive = true;
    await lock.release();
    expect((await states())[running.id]).toBe('interrupted');
    // A new holder that has not begun its run yet does not bring the old one back to life.
    await acquireLock({
      directory: lockDirectory(directory),
      key,
      holder: { ...holder, since: '2026-12-01T00:00:00.000Z' },
      isAlive: () => alive,
    });
    expect((await states())[running.id]).toBe('interrupted');
  });
});

describe('resolveRun', () => {
  it.each([
    ['20261130-181502-x4k2', undefined, '20261130-181502-x4k2'],
    [' 20261130-181502-X4K2 ', undefined, '20261130-181502-x4k2'],
    ['20261129', undefined, '20261129-080000-aaaa'],
    ['20261130-18', undefined, '20261130-181502-x4k2'],
    ['20261130', 'idp-mvp', '20261130-181502-x4k2'],
    ['last', undefined, '20261130-190000-bbbb'],
    ['last', 'idp-mvp', '20261130-181502-x4k2'],
  ])('takes %j of cluster %s for %s', async (text, cluster, expected) => {
    expect((await resolveRun(await openFilled(), text, cluster)).id).toBe(expected);
  });

  it.each([
    ['20261130', undefined, /fits 2 runs: 20261130-190000-bbbb, 20261130-181502-x4k2\. Type more/],
    ['20261130-181502-x4k3', undefined, /there is no run .*Closest: 20261130-181502-x4k2/],
    ['x4k2', undefined, /Closest: 20261130-181502-x4k2\. `rekindle runs` lists them/],
    ['../..', undefined, /there is no run "\.\.\/\.\.".*`rekindle runs` lists them/],
    ['', undefined, /there is no run/],
    ['20261130-190000-bbbb', 'idp-mvp', /is one of the cluster other/],
    ['last', 'third', /there are no runs of the cluster third yet/],
  ])('finds nothing for %j of cluster %s', async (text, cluster, message) => {
    const found = resolveRun(await openFilled(), text, cluster);
    await expect(found).rejects.toThrow(RunNotFoundError);
    await expect(found).rejects.toThrow(message);
  });
});
