import { expect } from 'vitest';
import { type Cluster, listKubernetesNodes } from '../../../scenarios/cluster.ts';
import type { CommandResult } from '../../../scenarios/laboratory.ts';
import { explainUnwell, reportNodes } from '../../../scenarios/waiting.ts';
import { readDiagnosis } from './documents.ts';
import { findLeftovers } from './files.ts';
import { examine, type Stage } from './stage.ts';

/** Every node Ready and reported with the address that Docker gave it, as of now: nothing is waited for. */
export async function expectWell(cluster: Cluster): Promise<void> {
  const [nodes, reported] = await Promise.all([listKubernetesNodes(cluster), reportNodes(cluster)]);
  expect(explainUnwell(nodes, reported, Date.now())).toBeUndefined();
}

/** The product finds nothing wrong, says so with exit code 0, and left nothing behind in the nodes. */
export async function expectClean(stage: Stage): Promise<void> {
  const examined = await examine(stage);
  expect(readDiagnosis(examined.stdout)).toMatchObject({ verdict: 'healthy', findings: [] });
  expectExit(examined, 0);
  expect(await findLeftovers(stage.cluster)).toEqual({});
}

/** The exit code; where it is another one, the failure shows what the product said. */
export function expectExit(result: CommandResult, exitCode: number): void {
  expect(result.exitCode, `${result.stderr}\n${result.stdout}`).toBe(exitCode);
  expectNoStackTrace(result);
}

export function expectNoStackTrace(result: CommandResult): void {
  expect(`${result.stdout}\n${result.stderr}`).not.toMatch(/^\s+at .*\(.*:\d+:\d+\)/m);
}
