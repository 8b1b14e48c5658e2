import { setImmediate } from 'node:timers/promises';
import { type ChildProcess, spawn } from 'node:child_process';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import * as fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { StateError } from './errors.ts';
import { diskFiles, type StateFiles } from './files.ts';
import type { LockHolder } from './journal.ts';
import { acquireLock, type Lock, LockedError, lockKey, readHolder } from './lock.ts';
import { makeTemporaryFolder } from './testing.ts';

const key = lockKey('idp-mvp', 'engine-1');

function makeHolder(pid: number, host = 'laptop'): LockHolder {
  return { pid, host, command: 'rekindle heal --yes', since: '2026-11-30T18:15:02.000Z', processStart: `start-${pid}` };
}

function take(directory: string, pid: number, alive: ReadonlySet<number> = new Set([1, 2, 3]), files?: StateFiles) {
  return acquireLock({
    directory,
    key,
    holder: makeHolder(pid),
    isAlive: (holder) => alive.has(holder.pid),
    ...(files === undefined ? {} : { files }),
  });
}

describe('a lock', () => {
  it('is held by one, named to the others, and free again after release', async () => {
    const directory = await makeTemporaryFolder();
    expect(await readHolder(directory, key)).toBeNull();
    const lock = await take(directory, 1);
    expect(await readHolder(directory, key)).toEqual(makeHolder(1));
    const refused = await take(directory, 2).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(LockedError);
    expect(refused).toMatchObject({ holder: makeHolder(1) });
    expect(String(refused)).toContain('"rekindle heal --yes" (process 1 on laptop, since 2026-11-30T18:15:02.000Z)');
    await lock.release();
    await lock.release();
    expect(await readdir(directory)).toEqual([]);
    await (await take(directory, 2)).release();
  });

  it('keeps clusters, and engines, apart', async () => {
    const directory = await makeTemporaryFolder();
    const keys = [lockKey('a', 'x'), lockKey('b', 'x'), lockKey('a', 'y'), lockKey('A', 'x'), '../a', 'a.lock.x.new'];
    for (const each of keys) {
      await acquireLock({ directory, key: each, holder: makeHolder(1), isAlive: () => true });
    }
    const names = await readdir(directory);
    expect(names).toHaveLength(keys.length);
    expect((await stat(join(directory, names[0] ?? ''))).mode & 0o777).toBe(0o600);
  });

  it('of a dead process is taken over, and leaves nothing behind', async () => {
    const directory = await makeTemporaryFolder();
    const dead = await take(directory, 9);
    const lock = await take(directory, 1);
    expect(await readdir(directory)).toHaveLength(1);
    expect(await readHolder(directory, key)).toEqual(makeHolder(1));
    // Should the dead one wake up after all, it must not give away what is not its own any more.
    await dead.release();
    await expect(take(directory, 2)).rejects.toThrow(LockedError);
    await lock.release();
    await take(directory, 2);
  });

  it('of another host is not judged, and the message says how to remove it', async () => {
    const directory = await makeTemporaryFolder();
    const holder = makeHolder(9, 'desktop');
    await acquireLock({ directory, key, holder, isAlive: () => true });
    const asked: LockHolder[] = [];
    const refused = acquireLock({
      directory,
      key,
      holder: makeHolder(1),
      isAlive: (other) => {
        asked.push(other);
        return false;
      },
    });
    const [name = ''] = await readdir(directory);
    await expect(refused).rejects.toThrow(`remove ${join(directory, name)}`);
    expect(asked).toEqual([]);
  });

  it.each(['', '{"token":"8c0', '\0\0\0\0', '{}', '{"token":"../../x","holder":null}'])(
    'that holds %j, as after a crash of the machine, holds up nobody',
    async (contents) => {
      const directory = await makeTemporaryFolder();
      await take(directory, 9);
      const [name = ''] = await readdir(directory);
      await writeFile(join(directory, name), contents);
      expect(await readHolder(directory, key)).toBeNull();
      await take(directory, 1);
      expect(await readHolder(directory, key)).toEqual(makeHolder(1));
      expect(await readdir(directory)).toEqual([name]);
    },
  );

  it('is refused clearly where the file system has no hard links', async () => {
    const files: StateFiles = {
      ...diskFiles,
      link: async () => await Promise.reject(Object.assign(new Error('EPERM'), { code: 'EPERM' })),
    };
    const directory = await makeTemporaryFolder();
    const refused = take(directory, 1, new Set(), files);
    await expect(refused).rejects.toThrow(StateError);
    await expect(refused).rejects.toThrow(/no file have two names/);
    expect(await readdir(directory)).toEqual([]);
  });
});

/** Stands between contenders and the disk: each call waits for its turn, and those of a killed process never come. */
function scheduleFiles(
  scheduler: fc.Scheduler,
  pid: number,
  alive: ReadonlySet<number>,
  count: () => void,
  stop: () => void,
): StateFiles {
  async function turn<Result>(call: () => Promise<Result>, name: string): Promise<Result> {
    await scheduler.schedule(Promise.resolve(), `${pid} ${name}`);
    count();
    if (!alive.has(pid)) {
      stop();
      return await new Promise<never>(() => undefined);
    }
    return await call();
  }
  return {
    ...diskFiles,
    readFile: async (path) => await turn(async () => await diskFiles.readFile(path), 'read'),
    readdir: async (path) => await turn(async () => await diskFiles.readdir(path), 'list'),
    rename: async (from, to) => await turn(async () => await diskFiles.rename(from, to), 'rename'),
    link: async (from, to) => await turn(async () => await diskFiles.link(from, to), 'link'),
    unlink: async (path) => await turn(async () => await diskFiles.unlink(path), 'unlink'),
  };
}

describe('many contenders', () => {
  it('never hold the lock two at a time, in whatever order they act and wherever they are killed', async () => {
    const kills = fc.array(fc.record({ pid: fc.integer({ min: 1, max: 4 }), after: fc.integer({ min: 1, max: 60 }) }), {
      maxLength: 3,
    });
    let takeovers = 0;
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), kills, fc.boolean(), async (scheduler, deaths, damaged) => {
        const directory = await makeTemporaryFolder();
        await take(directory, 9);
        if (damaged) await writeFile(join(directory, (await readdir(directory))[0] ?? ''), '');
        const alive = new Set([1, 2, 3, 4]);
        const holding = new Set<number>();
        const overlaps: string[] = [];
        let calls = 0;
        const acting = new Set([1, 2, 3, 4]);

        async function contend(pid: number): Promise<void> {
          const files = scheduleFiles(
            scheduler,
            pid,
            alive,
            () => {
              calls += 1;
              for (const death of deaths) if (death.after === calls) alive.delete(death.pid);
            },
            () => acting.delete(pid),
          );
          for (let round = 0; round < 3; round++) {
            let lock: Lock;
            try {
              lock = await take(directory, pid, alive, files);
            } catch (error) {
              if (error instanceof LockedError) continue;
              throw error;
            }
            takeovers += 1;
            holding.add(pid);
            const others = [...holding].filter((other) => alive.has(other));
            if (others.length > 1) overlaps.push(others.join(' and '));
            await scheduler.schedule(Promise.resolve(), `${pid} works`);
            if (!alive.has(pid)) return;
            holding.delete(pid);
            await lock.release();
          }
        }

        const failures: unknown[] = [];
        for (const pid of [1, 2, 3, 4])
          contend(pid)
            .catch((error: unknown) => failures.push(error))
            .finally(() => acting.delete(pid));
        await drain(scheduler, acting);
        expect(failures).toEqual([]);
        expect(overlaps).toEqual([]);
        // Whoever died and wherever: the next one gets in.
        alive.clear();
        const last = await take(directory, 1, alive);
        expect(await readdir(directory)).toHaveLength(1);
        await last.release();
      }),
      { numRuns: 50 },
    );
    expect(takeovers).toBeGreaterThan(50);
  }, 120_000);
});

/** Lets every scheduled call have its turn, until each contender has ended or was killed. */
async function drain(scheduler: fc.Scheduler, acting: ReadonlySet<number>): Promise<void> {
  while (acting.size > 0) {
    if (scheduler.count() > 0) await scheduler.waitOne();
    else await setImmediate();
  }
}

async function startContender(directory: string): Promise<{ child: ChildProcess; ask: () => Promise<string> }> {
  const script = fileURLToPath(new URL('./lock-child.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', script, directory, key], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => String((await lines.next()).value);
  expect(await next()).toBe('ready');
  return {
    child,
    ask: async () => {
      child.stdin.write('go\n');
      return await next();
    },
  };
}

async function kill(child: ChildProcess | undefined): Promise<void> {
  await new Promise((resolve) => {
    child?.once('exit', resolve);
    child?.kill('SIGKILL');
  });
}

describe('real processes', () => {
  it('of which the holder is killed: exactly one of the others takes over, several times in a row', async () => {
    const directory = await makeTemporaryFolder();
    const contenders = await Promise.all(Array.from({ length: 4 }, async () => await startContender(directory)));
    const first = contenders[0];
    expect(await first?.ask()).toBe(`won ${first?.child.pid}`);
    let holder = first;
    let waiting = contenders.slice(1);
    while (waiting.length > 0) {
      expect(await waiting[0]?.ask()).toBe(`locked by ${holder?.child.pid}`);
      await kill(holder?.child);
      const answers = await Promise.all(waiting.map(async ({ ask }) => await ask()));
      const winners = waiting.filter((_, index) => answers[index]?.startsWith('won'));
      expect(winners).toHaveLength(1);
      [holder] = winners;
      const refused = answers.filter((answer) => answer === `locked by ${holder?.child.pid}`);
      expect(refused).toHaveLength(waiting.length - 1);
      waiting = waiting.filter((each) => each !== holder);
    }
  }, 120_000);
});
