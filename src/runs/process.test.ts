import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { describeHolder, inspectProcess, isHolderAlive } from './process.ts';

const about = { host: 'laptop', command: 'rekindle heal', since: '2026-11-30T18:15:02.000Z' };

describe('the holder of a lock', () => {
  it('is alive as long as its process is', async () => {
    const child = spawn(process.execPath, ['-e', 'process.stdin.resume(); console.log("up")'], { stdio: 'pipe' });
    await once(child.stdout, 'data');
    const pid = child.pid ?? 0;
    const holder = await describeHolder({ pid, platform: process.platform }, about);
    expect(holder).toMatchObject({ pid, ...about });
    expect(await isHolderAlive(holder, process.platform)).toBe(true);
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
    expect(await isHolderAlive(holder, process.platform)).toBe(false);
  });

  it('is dead where its number now belongs to a process that started at another time', async () => {
    const holder = await describeHolder(process, about);
    expect(await isHolderAlive(holder, process.platform)).toBe(true);
    const reused = { ...holder, processStart: 'another boot:1' };
    expect(await isHolderAlive(reused, process.platform)).toBe(false);
  });

  it('counts as alive where nothing tells processes of one number apart', async () => {
    expect(await isHolderAlive({ pid: process.pid, ...about }, process.platform)).toBe(true);
    expect(await isHolderAlive({ pid: process.pid, ...about, processStart: 'x' }, 'win32')).toBe(true);
  });

  it.each([0, -1, 1.5, Number.NaN, 2 ** 31 + 5])('is dead with the impossible number %d', async (pid) => {
    expect(await isHolderAlive({ pid, ...about }, process.platform)).toBe(false);
  });

  it.runIf(process.platform !== 'win32')('is told apart by ps where there is no /proc', async () => {
    const first = await inspectProcess(process.pid, 'darwin');
    expect(first.exists).toBe(true);
    expect(first).toEqual(await inspectProcess(process.pid, 'darwin'));
  });
});
