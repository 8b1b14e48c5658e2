import { describe, expect, test } from 'vitest';
import { judge } from '../scenarios/judge.ts';
import { playScenario } from '../scenarios/play.ts';
import { scenarios } from '../scenarios/scenarios.ts';
import { setSimStage } from './laboratory/stage.ts';

const anHour = 3_600_000;

describe('in the simulated world', () => {
  test.each(scenarios)('$name: $title', async (scenario) => {
    const { profile, entrypoint } = scenario;
    const stage = await setSimStage({ seed: 1, profile, entrypoint });
    try {
      const play = await stage.world.driver.run(playScenario(scenario, stage), anHour);
      expect(judge(scenario, play, stage.cluster.name)).toEqual([]);
    } finally {
      await stage.close();
    }
  });
});
