import { expect, test } from 'vitest';
import { runCli } from '../run.ts';
import { makeCluster, makeFakeEngine } from '../testing/fake-engine.ts';
import { makeFakeSurroundings } from '../testing/run.ts';
import { makeCrashed } from '../testing/samples.ts';
import { type FakeStreamOptions, makeFakeStreams } from '../testing/streams.ts';

/** Types the keys as soon as the question stands on standard error. */
async function answer(keys: string, environment: Record<string, string>, options: FakeStreamOptions = {}) {
  const streams = makeFakeStreams({ stdin: 'terminal', stdout: 'terminal', stderr: 'terminal', ...options });
  const engine = makeFakeEngine({ clusters: [makeCluster(makeCrashed())] });
  let typed = false;
  streams.stderr.raw.on('data', () => {
    if (typed || !streams.err().includes('Apply 3 steps to idp-mvp?')) return;
    typed = true;
    setImmediate(() => streams.type(keys));
  });
  const argv = ['node', 'rekindle', 'heal'];
  const exitCode = await runCli(argv, makeFakeSurroundings(environment, '/'), streams, async () => engine);
  return { exitCode, applied: engine.applied.length, text: streams.all() };
}

test.each([
  ['y', 0, 3],
  ['n', 1, 0],
  ['\r', 0, 3],
  ['\u0003', 130, 0],
])('the prompt takes %j', async (keys, exitCode, applied) => {
  expect(await answer(keys, {})).toMatchObject({ exitCode, applied });
});

test.each([
  ['y\n', 0, 3],
  ['yes\n', 0, 3],
  ['\n', 0, 3],
  ['n\n', 1, 0],
  ['what?\n', 1, 0],
])('a dumb terminal takes the line %j', async (keys, exitCode, applied) => {
  const result = await answer(keys, { TERM: 'dumb' });
  expect(result).toMatchObject({ exitCode, applied });
  expect(result.text).not.toContain('\u001b');
});

test('nobody is asked where the question could not be seen', async () => {
  expect(await answer('y\n', {}, { stderr: 'pipe' })).toMatchObject({ exitCode: 4, applied: 0 });
});

test('the plan stands above the question', async () => {
  const { text } = await answer('n', { NO_COLOR: '1' });
  expect(text.indexOf('Plan for idp-mvp: 3 steps, all safe')).toBeGreaterThan(-1);
  expect(text.indexOf('Plan for idp-mvp')).toBeLessThan(text.indexOf('Apply 3 steps'));
});
