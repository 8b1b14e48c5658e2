import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { readRecording } from '../../src/bundle/read.ts';
import type { Facts } from '../../src/facts/facts.ts';
import type { Scenario, ScenarioStage, StagedFault } from './scenario.ts';
import { waitUntilWell } from './waiting.ts';

const reference = z.object({ id: z.string(), subject: z.string() });

const diagnosis = z.object({
  verdict: z.string(),
  findings: z.array(
    reference.extend({
      severity: z.string(),
      summary: z.string(),
      evidence: z.array(z.string()),
      cause: reference.nullable(),
    }),
  ),
  unknown: z.array(z.unknown()).default([]),
});

const plan = z.object({ steps: z.array(z.object({ title: z.string(), risk: z.string() })) });

const doctorDocument = z.object({ clusters: z.tuple([diagnosis.extend({ plan })]) });

const healDocument = z.object({
  verdict: z.string(),
  run: z.string().nullable(),
  diagnosis,
  plans: z.array(plan),
  applied: z.array(z.object({ title: z.string(), result: z.string(), note: z.string() })),
});

export type Examination = z.infer<typeof diagnosis> & {
  readonly plan: z.infer<typeof plan>;
  readonly exitCode: number;
};
export type Healing = z.infer<typeof healDocument> & { readonly exitCode: number };

/** What happened when a scenario was played in one of the worlds. */
export interface Play {
  readonly scenario: string;
  readonly before: Examination;
  readonly healing: Healing;
  readonly after: Examination;
  /** After the faults of `again`; absent where the scenario has none. */
  readonly again?: Examination;
  /** The user's belongings, as they were before the faults and at the end. */
  readonly belongings: { readonly before: unknown; readonly after: unknown };
  /** As the product gathered them after the faults and after the heal; only where they were asked for. */
  readonly facts?: { readonly before: Facts; readonly after: Facts };
}

export interface Stage extends ScenarioStage {
  /** Everything that must be the same afterwards, whatever happens. */
  recordBelongings(): Promise<unknown>;
}

/** The stage has to hold a well cluster of the scenario's profile and entrypoint. */
export async function playScenario(
  scenario: Scenario,
  stage: Stage,
  options: { readonly withFacts?: boolean } = {},
): Promise<Play> {
  const belongings = await stage.recordBelongings();
  await stageFaults(scenario.faults, stage);
  const factsBefore = options.withFacts === true ? await recordFacts(stage, 'before') : undefined;
  const before = await examine(stage);
  const healing = await heal(stage);
  const after = await examine(stage);
  const factsAfter = options.withFacts === true ? await recordFacts(stage, 'after') : undefined;
  let again: Examination | undefined;
  if (scenario.again !== undefined) {
    await stageFaults(scenario.again, stage);
    await waitUntilWell(stage.cluster, { timeoutMs: 120_000 });
    again = await examine(stage);
  }
  return {
    scenario: scenario.name,
    before,
    healing,
    after,
    ...(again === undefined ? {} : { again }),
    ...(factsBefore === undefined || factsAfter === undefined
      ? {}
      : { facts: { before: factsBefore, after: factsAfter } }),
    belongings: { before: belongings, after: await stage.recordBelongings() },
  };
}

/** One after the other, with the time that passes after each. */
export async function stageFaults(faults: readonly StagedFault[], stage: ScenarioStage): Promise<void> {
  for (const { fault, argument, thenSeconds = 0 } of faults) {
    await fault.stage(stage.cluster, typeof argument === 'function' ? argument(stage) : argument);
    await stage.cluster.lab.clock.sleep(thenSeconds * 1000);
  }
}

export async function examine({ cluster, visitor }: ScenarioStage): Promise<Examination> {
  const { exitCode, stdout, stderr } = await visitor.rekindle('doctor', '--name', cluster.name, '-o', 'json');
  return { ...parse(doctorDocument, stdout, stderr).clusters[0], exitCode };
}

export async function heal({ cluster, visitor }: ScenarioStage): Promise<Healing> {
  const { exitCode, stdout, stderr } = await visitor.rekindle('heal', '--name', cluster.name, '--yes', '-o', 'json');
  return { ...parse(healDocument, stdout, stderr), exitCode };
}

/** By way of a bundle, which is how the product gives its facts away. */
async function recordFacts({ cluster, visitor }: ScenarioStage, when: string): Promise<Facts> {
  const file = join(dirname(visitor.kubeconfig), `facts-${when}-${cluster.lab.clock.now()}.tar.gz`);
  const { stderr } = await visitor.rekindle('bundle', '--name', cluster.name, '--output', file);
  const bytes = await readFile(file).catch((error: unknown) => {
    throw new Error(`rekindle wrote no bundle: ${stderr}`, { cause: error });
  });
  return await readRecording(bytes);
}

function parse<T>(schema: z.ZodType<T>, stdout: string, stderr: string): T {
  try {
    return schema.parse(JSON.parse(stdout));
  } catch (error) {
    throw new Error(`rekindle printed no such document: ${stdout.slice(0, 500)}\n${stderr.slice(-2000)}`, {
      cause: error,
    });
  }
}
