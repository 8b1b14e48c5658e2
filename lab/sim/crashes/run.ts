import { planCrash } from './plan.ts';
import { playCrash } from './play.ts';
import type { CrashReport } from './report.ts';
import { setCrashStage } from './stage.ts';

/** Virtual milliseconds in which everything has to be over. */
const longestPlayMs = 3_600_000;

/** Plays one crash in a world of its own. Rejects never: what went wrong is a complaint. */
export async function runCrash(seed: number): Promise<CrashReport> {
  const plan = planCrash(seed);
  const start = performance.now();
  const cpu = process.cpuUsage();
  const stage = await setCrashStage(plan);
  const { world, simCluster } = stage;
  const begun = world.clock.now();
  const finish = () => ({
    virtualSeconds: (world.clock.now() - begun) / 1000,
    realSeconds: (performance.now() - start) / 1000,
    cpuSeconds: (process.cpuUsage(cpu).user + process.cpuUsage(cpu).system) / 1e6,
    end: { at: world.clock.now(), revision: simCluster.store.revision },
  });
  try {
    const played = await world.driver.run(playCrash(plan, stage), longestPlayMs);
    return { seed, plan, ...played, ...finish() };
  } catch (error) {
    const complaint = error instanceof Error ? `${error.name}: ${error.message}\n${error.stack}` : String(error);
    return {
      seed,
      plan,
      complaints: [complaint],
      notes: [],
      story: [],
      heals: 0,
      ending: 'nothing',
      findings: [],
      ...finish(),
    };
  } finally {
    await stage.close();
  }
}
