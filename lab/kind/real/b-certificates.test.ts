import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { pickNode } from '../../scenarios/cluster.ts';
import { certificateWithoutAddress } from '../../scenarios/faults/certificate-without-address.ts';
import { certificatesDeleted } from '../../scenarios/faults/certificates-deleted.ts';
import { probeApiServer } from '../../scenarios/node.ts';
import { expectClean, expectExit, expectWell } from './support/expectations.ts';
import { recordIdentity } from './support/files.ts';
import { readMarker } from './support/marker.ts';
import { clearStage, heal, setStage, type Stage } from './support/stage.ts';

describe("the API server's certificate", () => {
  let stage: Stage;
  let marker: unknown;
  let identity: string;

  beforeAll(async () => {
    stage = await setStage();
  });
  afterAll(() => clearStage(stage));
  beforeEach(async () => {
    marker = await readMarker(stage.cluster);
    identity = await recordIdentity(stage.cluster);
  });

  async function expectHealedInPlace(): Promise<void> {
    expectExit(await heal(stage), 0);
    expect(await probeApiServer(stage.cluster, await pickNode(stage.cluster, undefined))).toBe(0);
    await expectWell(stage.cluster);
    expect(await recordIdentity(stage.cluster)).toBe(identity);
    expect(await readMarker(stage.cluster)).toEqual(marker);
    await expectClean(stage);
  }

  it('is made again in place where it lacks the address', async () => {
    await certificateWithoutAddress.stage(stage.cluster, undefined);

    await expectHealedInPlace();
  });

  it('is made again where it was deleted and the API server stopped', async () => {
    await certificatesDeleted.stage(stage.cluster, undefined);

    await expectHealedInPlace();
  });

  it('is made again where it was deleted and no boot brings it back', async () => {
    await certificatesDeleted.stage(stage.cluster, 'boot');

    await expectHealedInPlace();
  });
});
