import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import * as files from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { locateKubeconfig } from './locate.ts';
import { LockedError, withFileLock } from './lock.ts';

describe('which kubeconfig', () => {
  const locate = (flag: string | undefined, variable: string | undefined, existing: readonly string[] = []) =>
    locateKubeconfig({
      flag,
      environment: { KUBECONFIG: variable },
      home: '/home/me',
      exists: (path) => existing.includes(path),
    });
  const list = ['', '/a', '/b', ''].join(delimiter);

  test('the flag before all', async () => expect(await locate('/flag', list, ['/a'])).toBe('/flag'));
  test('the first of $KUBECONFIG that exists', async () => expect(await locate(undefined, list, ['/b'])).toBe('/b'));
  test('the last of $KUBECONFIG where none does', async () => expect(await locate(undefined, list)).toBe('/b'));
  test.each([undefined, '', delimiter])('the home’s where $KUBECONFIG is %j', async (variable) => {
    expect(await locate('', variable)).toBe(join('/home/me', '.kube', 'config'));
  });
});

describe('the lock', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kubeconfig-lock-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const signal = new AbortController().signal;
  const taker = { text: 'me', isGone: (text: string) => Promise.resolve(text === 'the dead') };
  const never = () => Promise.reject(new Error('it waited'));

  test('is held during the action and gone after it, whether that succeeds or fails', async () => {
    const file = join(folder, 'new', 'config');
    const inside = await withFileLock(file, { files, taker, sleep: never, signal }, () => readdir(join(folder, 'new')));
    expect(inside).toEqual(['config.lock']);
    const failing = withFileLock(file, { files, taker, sleep: never, signal }, () =>
      Promise.reject(new Error('the action')),
    );
    await expect(failing).rejects.toThrow('the action');
    expect(await readdir(join(folder, 'new'))).toEqual([]);
  });

  test('is waited for', async () => {
    const file = join(folder, 'config');
    await writeFile(`${file}.lock`, '');
    const sleep = () => rm(`${file}.lock`);
    expect(await withFileLock(file, { files, taker, sleep, signal }, async () => 'done')).toBe('done');
  });

  test('that stays is an error that names it, and it is left alone', async () => {
    const file = join(folder, 'config');
    await writeFile(`${file}.lock`, '');
    let waits = 0;
    const sleep = async () => {
      waits += 1;
    };
    const locked = withFileLock(file, { files, taker, sleep, signal, retries: 3 }, async () => 'done');
    await expect(locked).rejects.toThrow(LockedError);
    await expect(locked).rejects.toThrow(`remove ${file}.lock`);
    expect(waits).toBe(3);
    expect(await readdir(folder)).toEqual(['config.lock']);
  });

  test('of one of us who was killed is taken over, without a trace', async () => {
    const file = join(folder, 'config');
    await writeFile(`${file}.lock`, 'the dead');
    const inside = await withFileLock(file, { files, taker, sleep: never, signal }, () =>
      readFile(`${file}.lock`, 'utf8'),
    );
    expect(inside).toBe('me');
    expect(await readdir(folder)).toEqual([]);
  });

  test('that another takes over at the same moment stays theirs', async () => {
    const file = join(folder, 'config');
    await writeFile(`${file}.lock`, 'the dead');
    const isGone = async (text: string) => {
      await writeFile(`${file}.lock`, 'another');
      return text === 'the dead';
    };
    const asked = { files, taker: { ...taker, isGone }, sleep: never, signal };
    await expect(withFileLock(file, asked, async () => 1)).rejects.toThrow('it waited');
    expect(await readFile(`${file}.lock`, 'utf8')).toBe('another');
    expect(await readdir(folder)).toEqual(['config.lock']);
  });

  test('ends its waiting when aborted', async () => {
    const file = join(folder, 'config');
    await writeFile(`${file}.lock`, '');
    await expect(withFileLock(file, { files, taker, sleep: never, signal }, async () => 1)).rejects.toThrow(
      'it waited',
    );
  });
});
