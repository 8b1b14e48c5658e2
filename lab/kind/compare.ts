import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { comparePlays, type Difference } from '../scenarios/compare.ts';
import { judge } from '../scenarios/judge.ts';
import { knownDifferences } from '../scenarios/known-differences.ts';
import { type Play, playScenario } from '../scenarios/play.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import { scenarios } from '../scenarios/scenarios.ts';
import { loadSimulation } from '../sim/testing/simulation.ts';
import { readMarker } from './real/support/marker.ts';
import { clearStage, clusterName, setStage } from './real/support/stage.ts';

export interface Comparison {
  readonly scenario: string;
  /** What in a world is not as the scenario tells it. */
  readonly complaints: { readonly simulated: readonly string[]; readonly real: readonly string[] };
  readonly differences: readonly Difference[];
  /** Differences that docs/simulation.md explains. */
  readonly known: readonly (Difference & { readonly because: string })[];
  readonly seconds: { readonly simulated: number; readonly real: number };
}

const anHour = 3_600_000;

/** Plays scenarios in both worlds, one after the other; all where none is named. Each play is kept in `folder`. */
export async function compareWorlds(
  names: readonly string[],
  folder: string,
  tell: (comparison: Comparison) => void,
): Promise<Comparison[]> {
  const chosen = choose(names);
  await mkdir(folder, { recursive: true });
  const comparisons: Comparison[] = [];
  for (const scenario of chosen) {
    const simulated = await playSimulated(scenario);
    const real = await playReal(scenario);
    await writeFile(join(folder, `${scenario.name}.sim.json`), JSON.stringify(simulated.play, null, 2));
    await writeFile(join(folder, `${scenario.name}.kind.json`), JSON.stringify(real.play, null, 2));
    const all = comparePlays(simulated.play, real.play);
    const comparison: Comparison = {
      scenario: scenario.name,
      complaints: {
        simulated: judge(scenario, simulated.play, simulated.cluster),
        real: judge(scenario, real.play, real.cluster),
      },
      differences: all.filter((difference) => explain(difference, scenario.name) === undefined),
      known: all.flatMap((difference) => {
        const because = explain(difference, scenario.name);
        return because === undefined ? [] : [{ ...difference, because }];
      }),
      seconds: { simulated: simulated.seconds, real: real.seconds },
    };
    comparisons.push(comparison);
    tell(comparison);
  }
  return comparisons;
}

function choose(names: readonly string[]): readonly Scenario[] {
  const unknown = names.find((name) => !scenarios.some((scenario) => scenario.name === name));
  if (unknown !== undefined) {
    throw new TypeError(`there is no scenario ${unknown}; there are ${scenarios.map(({ name }) => name).join(', ')}`);
  }
  // Those of one shape follow each other, so that few clusters have to be made.
  return scenarios
    .filter(({ name, simulatedOnly }) => simulatedOnly === undefined && (names.length === 0 || names.includes(name)))
    .toSorted((left, right) => right.profile.localeCompare(left.profile));
}

interface Played {
  readonly play: Play;
  readonly cluster: string;
  readonly seconds: number;
}

async function playSimulated({ name }: Scenario): Promise<Played> {
  const simulation = await loadSimulation();
  const scenario = simulation.scenarios.find((one) => one.name === name);
  if (scenario === undefined) throw new Error(`the bundle has no scenario ${name}: npm run build`);
  const stage = await simulation.setSimStage({
    seed: 1,
    profile: scenario.profile,
    entrypoint: scenario.entrypoint,
    name: clusterName(),
  });
  try {
    const start = stage.world.clock.now();
    const play = await stage.world.driver.run(simulation.playScenario(scenario, stage, { withFacts: true }), anHour);
    return { play, cluster: stage.cluster.name, seconds: (stage.world.clock.now() - start) / 1000 };
  } finally {
    await stage.close();
  }
}

async function playReal(scenario: Scenario): Promise<Played> {
  const stage = await setStage(scenario.profile, scenario.entrypoint);
  const { cluster, product } = stage;
  try {
    const start = performance.now();
    const visitor = { kubeconfig: product.kubeconfig, rekindle: product.rekindle };
    const recordBelongings = () => readMarker(cluster);
    const play = await playScenario(scenario, { cluster, visitor, recordBelongings }, { withFacts: true });
    return { play, cluster: cluster.name, seconds: (performance.now() - start) / 1000 };
  } finally {
    await clearStage(stage);
  }
}

function explain({ part, path }: Difference, scenario: string): string | undefined {
  return knownDifferences.find(
    (known) =>
      (known.scenarios === undefined || known.scenarios.includes(scenario)) && known.where.test(`${part}: ${path}`),
  )?.because;
}

/** The comparison as a table, with every difference that nothing explains below it. */
export function renderComparisons(comparisons: readonly Comparison[]): string {
  const rows = comparisons.map(({ scenario, complaints, differences, known, seconds }) =>
    [
      scenario,
      complaints.simulated.length === 0 ? 'as told' : 'NOT as told',
      complaints.real.length === 0 ? 'as told' : 'NOT as told',
      String(differences.length),
      String(known.length),
      `${Math.round(seconds.simulated)} s`,
      `${Math.round(seconds.real)} s`,
    ].join(' | '),
  );
  const details = comparisons.flatMap(({ scenario, complaints, differences }) => [
    ...complaints.simulated.map((text) => `${scenario}, simulated: ${text}`),
    ...complaints.real.map((text) => `${scenario}, real: ${text}`),
    ...differences.map(
      ({ part, path, simulated, real }) =>
        `${scenario}, ${part}, ${path}\n    simulated: ${shorten(simulated)}\n    real:      ${shorten(real)}`,
    ),
  ]);
  const head = 'scenario | simulated | real | differences | explained | time simulated | time real';
  return [head, head.replaceAll(/[^|]+/g, '---'), ...rows, '', ...details].join('\n');
}

function shorten(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 400 ? `${text.slice(0, 400)} … (the whole in the plays)` : text;
}
