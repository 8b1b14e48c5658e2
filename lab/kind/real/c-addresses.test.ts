import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listKubernetesNodes, removeHelpers } from '../../scenarios/cluster.ts';
import { halfRewrite } from '../../scenarios/faults/half-rewrite.ts';
import { kubeconfigPort } from '../../scenarios/faults/kubeconfig-port.ts';
import { reconnect } from '../../scenarios/faults/reconnect.ts';
import { stopAll } from '../../scenarios/faults/stop-all.ts';
import { expectClean, expectExit, expectWell } from './support/expectations.ts';
import { recordIdentity } from './support/files.ts';
import { readMarker } from './support/marker.ts';
import { clearStage, heal, setStage, type Stage } from './support/stage.ts';

describe('addresses and containers', () => {
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
  afterEach(() => removeHelpers(stage.cluster));

  async function expectHealed(): Promise<void> {
    expectExit(await heal(stage), 0);
    await expectWell(stage.cluster);
    expect(await recordIdentity(stage.cluster)).toBe(identity);
    expect(await readMarker(stage.cluster)).toEqual(marker);
    await expectClean(stage);
  }

  it('heals a control plane that got a new address while it ran', async () => {
    await reconnect.stage(stage.cluster, undefined);

    await expectHealed();
  });

  it('heals a worker that got a new address while it ran', async () => {
    const worker = (await listKubernetesNodes(stage.cluster)).find((node) => node.role === 'worker');
    await reconnect.stage(stage.cluster, worker?.name);

    await expectHealed();
  });

  it('starts what was stopped', async () => {
    await stopAll.stage(stage.cluster, undefined);

    await expectHealed();
  });

  it('finishes a rewrite that was cut short', async () => {
    await halfRewrite.stage(stage.cluster, undefined);

    await expectHealed();
  });

  it('mends a kubeconfig with a wrong port and leaves the rest of it as it was', async () => {
    const file = join(stage.product.home, 'shared-kubeconfig');
    const staged = await kubeconfigPort.stage(stage.cluster, file);
    const before = await readFile(file, 'utf8');

    const healed = await stage.product.rekindle('heal', '--name', stage.cluster.name, '--yes', '--kubeconfig', file);

    expectExit(healed, 0);
    expect(await readFile(file, 'utf8')).toBe(before.replace(String(staged.server), String(staged.shouldBe)));
    const context = ['--context', `kind-${stage.cluster.name}`];
    await stage.cluster.lab.run(['kubectl', '--kubeconfig', file, ...context, 'get', 'nodes']);
  });
});
