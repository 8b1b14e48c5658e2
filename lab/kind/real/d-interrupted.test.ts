import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cluster, pickNode } from '../../scenarios/cluster.ts';
import { certificateWithoutAddress } from '../../scenarios/faults/certificate-without-address.ts';
import { writeBehind } from '../../scenarios/faults/half-rewrite.ts';
import { staleEndpoint } from '../../scenarios/faults/stale-endpoint.ts';
import { unusedAddress } from '../../scenarios/node.ts';
import { expectClean, expectExit, expectWell } from './support/expectations.ts';
import { recordIdentity } from './support/files.ts';
import { readMarker } from './support/marker.ts';
import { clearStage, heal, setStage, type Stage } from './support/stage.ts';

/** More steps than any plan for these faults has; reaching it means that the loop below does not end by itself. */
const mostSteps = 25;

const faults: readonly { readonly name: string; readonly stage: (cluster: Cluster) => Promise<unknown> }[] = [
  { name: "the runbook's fault", stage: (cluster) => staleEndpoint.stage(cluster, undefined) },
  {
    name: 'a certificate without the address and a rewrite cut short',
    stage: async (cluster) => {
      await certificateWithoutAddress.stage(cluster, undefined);
      const node = await pickNode(cluster, undefined);
      await writeBehind(cluster, node, unusedAddress(node.address));
    },
  },
];

describe('a heal that is killed', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await setStage();
  });
  afterAll(() => clearStage(stage));

  it.each(faults)('after any step is finished by the next one: $name', async ({ stage: stageFault }) => {
    const marker = await readMarker(stage.cluster);
    const identity = await recordIdentity(stage.cluster);
    let killed = 0;
    for (let step = 1; step <= mostSteps; step += 1) {
      await stageFault(stage.cluster);

      const outcome = await killAfterStep(stage, step);

      expectExit(await heal(stage), 0);
      await expectWell(stage.cluster);
      expect(await recordIdentity(stage.cluster)).toBe(identity);
      expect(await readMarker(stage.cluster)).toEqual(marker);
      await expectClean(stage);
      if (outcome === 'ended') {
        break;
      }
      killed += 1;
    }
    expect(killed).toBeGreaterThan(1);
    expect(killed).toBeLessThan(mostSteps);
  });
});

/** Kills a heal without warning once it has recorded so many steps as done; `ended` where it was through before. */
async function killAfterStep(stage: Stage, step: number): Promise<'killed' | 'ended'> {
  const before = await stage.product.countStepsDone();
  const healing = stage.product.start('heal', '--name', stage.cluster.name, '--yes');
  while (!healing.hasEnded()) {
    if ((await stage.product.countStepsDone()) >= before + step) {
      healing.kill('SIGKILL');
      const { exitCode } = await healing.ended;
      return exitCode === -1 ? 'killed' : 'ended';
    }
    await sleep(5);
  }
  return 'ended';
}
