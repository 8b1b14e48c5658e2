import { describe, expect, test } from 'vitest';
import { scenarios } from '../scenarios/scenarios.ts';
import { loadSimulation } from './testing/simulation.ts';

const anHour = 3_600_000;
/** Real milliseconds on a busy machine. */
const patience = 60_000;

const { judge, playScenario, setSimStage } = await loadSimulation();

describe('in the simulated world', () => {
  test.each(scenarios)(
    '$name: $title',
    async ({ name }) => {
      // The bundle has scenarios of its own, with the faults that know its classes.
      const scenario = await findScenario(name);
      const { profile, entrypoint } = scenario;
      const stage = await setSimStage({ seed: 1, profile, entrypoint });
      try {
        const play = await stage.world.driver.run(playScenario(scenario, stage), anHour);
        expect(judge(scenario, play, stage.cluster.name)).toEqual([]);
      } finally {
        await stage.close();
      }
    },
    patience,
  );

  test('goes the same way each time with one seed', async () => {
    const scenario = await findScenario('certificate-and-half-rewrite');
    const ends: unknown[] = [];
    for (let time = 0; time < 2; time++) {
      const stage = await setSimStage({ seed: 7, profile: scenario.profile, entrypoint: scenario.entrypoint });
      const { clock, driver } = stage.world;
      const { healing } = await driver.run(playScenario(scenario, stage), anHour);
      ends.push({ at: clock.now(), revision: stage.simCluster.store.revision, applied: healing.applied });
      await stage.close();
    }
    expect(ends[1]).toEqual(ends[0]);
  });
});

async function findScenario(name: string) {
  const found = (await loadSimulation()).scenarios.find((scenario) => scenario.name === name);
  if (found === undefined) throw new Error(`the bundle has no scenario ${name}: npm run build`);
  return found;
}
