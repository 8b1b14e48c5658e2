import { join } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { defineConfig } from 'vitest/config';

/** By name, so that a run can be followed; each file brings the cluster into the state it needs. */
class SequenceByName extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return Promise.resolve(files.toSorted((left, right) => left.moduleId.localeCompare(right.moduleId)));
  }
}

/** The longest kills a heal after each of its steps, a minute a time; a slow machine takes twice as long. */
const fortyMinutes = 40 * 60_000;

export default defineConfig({
  root: join(import.meta.dirname, '..', '..'),
  test: {
    include: ['lab/kind/real/**/*.test.ts'],
    // One cluster, shared by all: nothing may run beside anything else.
    fileParallelism: false,
    maxWorkers: 1,
    sequence: { sequencer: SequenceByName },
    testTimeout: fortyMinutes,
    hookTimeout: fortyMinutes,
    reporters: process.env['CI'] === undefined ? ['verbose'] : ['verbose', 'json'],
    outputFile: { json: '.ci/results/kind.json' },
    env: { NO_COLOR: '1', TZ: 'UTC' },
  },
});
