import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listKubernetesNodes } from '../../scenarios/cluster.ts';
import { type AddressChange, shuffleAddresses } from '../../scenarios/faults/shuffle.ts';
import { reportNodes, waitFor, waitUntilWell } from '../../scenarios/waiting.ts';
import { readDiagnosis, readOutcome } from './support/documents.ts';
import { expectClean, expectExit, expectWell } from './support/expectations.ts';
import { type NodeFiles, recordFiles } from './support/files.ts';
import { readMarker } from './support/marker.ts';
import { clearStage, examine, heal, setStage, type Stage } from './support/stage.ts';

/*
 * The runbook's crash, from beginning to end: an old entrypoint, new addresses for every node, healed, undone, healed
 * again, and crashed once more. The tests follow each other; each goes on from where the one before it ended.
 */
describe('the crash of the runbook', () => {
  let stage: Stage;
  let marker: unknown;
  let moved: readonly AddressChange[];
  let filesBefore: Readonly<Record<string, NodeFiles>>;
  let run: string;

  beforeAll(async () => {
    stage = await setStage();
    marker = await readMarker(stage.cluster);
    ({ moved } = await shuffleAddresses(stage.cluster));
  });
  afterAll(() => clearStage(stage));

  it('is told by doctor while the API still takes every node for Ready', async () => {
    await waitFor(
      stage.cluster.lab,
      'the API to answer',
      () =>
        reportNodes(stage.cluster).then(
          () => true,
          () => false,
        ),
      {
        timeoutMs: 120_000,
      },
    );
    const controlPlane = (await listKubernetesNodes(stage.cluster)).find((node) => node.role === 'control-plane');
    const reported = await reportNodes(stage.cluster);
    expect(reported.find((node) => node.name === controlPlane?.name)?.ready).toBe(true);

    const examined = await examine(stage);

    expectExit(examined, 1);
    const diagnosis = readDiagnosis(examined.stdout);
    expect(diagnosis.verdict).toBe('broken');
    const finding = diagnosis.findings.find((each) => each.id === 'node/kubelet-endpoint-stale');
    const change = moved.find((each) => each.node === controlPlane?.name);
    expect(finding?.subject).toBe(controlPlane?.name);
    const told = [finding?.summary, ...(finding?.evidence ?? [])].join('\n');
    expect(told).toContain(change?.from);
    expect(told).toContain(change?.to);
  });

  it('is healed, and nothing of the user is lost', async () => {
    filesBefore = await recordFiles(stage.cluster);

    const healed = await heal(stage);

    expectExit(healed, 0);
    const outcome = readOutcome(healed.stdout);
    expect(outcome.verdict).toBe('healed');
    expect(outcome.run).toEqual(expect.any(String));
    run = outcome.run ?? '';
    await expectWell(stage.cluster);
    expect(await readMarker(stage.cluster)).toEqual(marker);
    await expectClean(stage);
  });

  it('leaves nothing for a second heal to do', async () => {
    const files = await recordFiles(stage.cluster);
    const stepsDone = await stage.product.countStepsDone();

    const healed = await heal(stage);

    expectExit(healed, 0);
    expect(readOutcome(healed.stdout)).toMatchObject({ verdict: 'healthy' });
    expect(await recordFiles(stage.cluster)).toEqual(files);
    expect(await stage.product.countStepsDone()).toBe(stepsDone);
  });

  it('comes back byte for byte when the run is undone, and is healed again', async () => {
    expect(await recordFiles(stage.cluster)).not.toEqual(filesBefore);

    expectExit(await stage.product.rekindle('undo', run, '--yes'), 0);

    expect(await recordFiles(stage.cluster)).toEqual(filesBefore);
    expectExit(await heal(stage), 0);
    await expectWell(stage.cluster);
    expect(await readMarker(stage.cluster)).toEqual(marker);
    await expectClean(stage);
  });

  it('does not happen again: the next shuffle needs no heal', async () => {
    await shuffleAddresses(stage.cluster);

    await waitUntilWell(stage.cluster, { timeoutMs: 120_000 });

    expect(await readMarker(stage.cluster)).toEqual(marker);
    await expectClean(stage);
  });
});
