import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { withDeadline } from '../docker/deadline.ts';
import { runCli } from './run.ts';
import { makeFakeEngine, makeCluster } from './testing/fake-engine.ts';
import { makeFakeSurroundings } from './testing/run.ts';
import { makeHealthy } from './testing/samples.ts';
import { makeFakeStreams } from './testing/streams.ts';

const warnings: Error[] = [];
const keep = (warning: Error) => warnings.push(warning);

afterEach(() => {
  process.off('warning', keep);
  warnings.length = 0;
});

test('many calls at once, as a cluster of many nodes needs them, warn of nothing', async () => {
  process.on('warning', keep);
  const fake = makeFakeEngine({ clusters: [makeCluster(makeHealthy('wide'))] });
  const engine: typeof fake = {
    ...fake,
    async diagnoseCluster(world, name, given) {
      const context = { call: 'look', endpoint: 'unix:///docker.sock' };
      const options = { context, timeoutMs: 1000, signal: given.signal, sleep: () => new Promise<never>(() => {}) };
      await Promise.all(Array.from({ length: 40 }, () => withDeadline(options, () => setImmediate())));
      return fake.diagnoseCluster(world, name, given);
    },
  };
  const surroundings = makeFakeSurroundings({}, '/home/ada');
  const exitCode = await runCli(['node', '/rekindle', 'doctor'], surroundings, makeFakeStreams(), async () => engine);
  await setImmediate();
  expect(exitCode).toBe(0);
  expect(warnings).toEqual([]);
});
