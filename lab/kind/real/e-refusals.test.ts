import { chmod, copyFile, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CommandResult } from '../../scenarios/laboratory.ts';
import { attempt } from '../command.ts';
import { staleEndpoint } from '../../scenarios/faults/stale-endpoint.ts';
import { waitFor } from '../../scenarios/waiting.ts';
import { expectClean, expectExit, expectNoStackTrace } from './support/expectations.ts';
import { recordFiles } from './support/files.ts';
import { builtProgram } from './support/product.ts';
import { clearStage, heal, setStage, type Stage } from './support/stage.ts';

describe('on a broken cluster', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await setStage();
  });
  afterAll(() => clearStage(stage));
  beforeEach(async () => {
    await staleEndpoint.stage(stage.cluster, undefined);
  });

  it('a dry run changes nothing', async () => {
    const before = await recordFiles(stage.cluster);

    const planned = await stage.product.rekindle('heal', '--name', stage.cluster.name, '--dry-run');

    expectNoStackTrace(planned);
    expect(planned.stdout).toContain('kubelet.conf');
    expect(await recordFiles(stage.cluster)).toEqual(before);
    expect(await stage.product.readJournals()).toEqual([]);
  });

  it('without a terminal and without --yes nothing is done, and exit code 4 tells so', async () => {
    const before = await recordFiles(stage.cluster);

    expectExit(await stage.product.rekindle('heal', '--name', stage.cluster.name), 4);

    expect(await recordFiles(stage.cluster)).toEqual(before);
  });

  it('of two heals at once the second names the first', async () => {
    const first = stage.product.start('heal', '--name', stage.cluster.name, '--yes');
    await waitFor(
      stage.cluster.lab,
      'the first heal to begin',
      async () => (await stage.product.readJournals()).length > 0,
      {
        timeoutMs: 60_000,
        everyMs: 5,
      },
    );

    const second = await stage.product.rekindle('heal', '--name', stage.cluster.name, '--yes');

    expectNoStackTrace(second);
    expect(second.exitCode).not.toBe(0);
    expect(second.stderr).toMatch(new RegExp(String.raw`\b${first.pid}\b`));
    expectExit(await first.ended, 0);
    expectExit(await heal(stage), 0);
    await expectClean(stage);
  });
});

describe('what cannot be looked at', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await setStage();
  });
  afterAll(() => clearStage(stage));

  it('is an unknown cluster: 2', async () => {
    const result = await stage.product.rekindle('doctor', '--name', 'no-such-cluster');

    expectExit(result, 2);
    expect(result.stderr).toContain('no-such-cluster');
    expect(result.stderr).toContain(stage.cluster.name);
  });

  it.each(['../../etc', 'a;rm -rf /', 'a\nb', '\u001b[31mred', '', '-x', 'a'.repeat(5000)])(
    'is a cluster with the name %j: 2',
    async (name) => {
      for (const command of ['doctor', 'heal']) {
        const result = await stage.product.rekindle(command, `--name=${name}`);
        expectExit(result, 2);
        expect(result.stdout + result.stderr).not.toContain('\u001b');
      }
    },
  );

  it('is an engine that is not there: 3', async () => {
    const result = await runWith(stage, { DOCKER_HOST: `unix://${join(stage.product.home, 'nobody.sock')}` }, [
      'doctor',
    ]);

    expectExit(result, 3);
    expect(result.stdout).toContain('engine/unreachable');
    expect(result.stdout).toContain('nobody.sock');
  });

  it('is an engine that may not be used: 3', async () => {
    const closed = await offerClosedSocket();
    try {
      const result = await closed.run(['doctor']);

      expectExit(result, 3);
      expect(result.stdout).toContain('engine/permission-denied');
      expect(result.stdout).toContain(closed.socket);
    } finally {
      await closed.dispose();
    }
  });

  it('is a kubeconfig that is no YAML: 2, with file and line', async () => {
    const file = join(stage.product.home, 'broken-kubeconfig');
    await writeFile(file, 'apiVersion: v1\nkind: Config\nclusters: [\ncontexts: }\n');

    const result = await stage.product.rekindle('doctor', '--name', stage.cluster.name, '--kubeconfig', file);

    expectExit(result, 2);
    expect(result.stderr).toContain(file);
    expect(result.stderr).toMatch(/(line \d+|:\d+)/);
  });
});

function runWith(stage: Stage, extra: NodeJS.ProcessEnv, argv: readonly string[]): Promise<CommandResult> {
  const environment = { ...stage.product.environment, ...extra };
  return attempt([process.execPath, builtProgram, ...argv], { environment });
}

/**
 * A socket that somebody listens on and that only its owner may use, and the product run by somebody else. Root may
 * use any socket: where the tests run as root, the product runs as nobody, from copies that nobody can read.
 */
async function offerClosedSocket() {
  const folder = await mkdtemp(join(tmpdir(), 'rekindle-closed-'));
  const socket = join(folder, 'docker.sock');
  const server: Server = createServer((connection) => connection.destroy());
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  await chmod(socket, 0o000);
  await chmod(folder, 0o755);
  await cp(join(builtProgram, '..'), join(folder, 'dist'), { recursive: true });
  await copyFile(join(builtProgram, '..', '..', 'package.json'), join(folder, 'package.json'));
  const node = join(folder, 'node');
  await copyFile(process.execPath, node);
  await chmod(node, 0o755);
  const home = join(folder, 'home');
  await mkdir(home);
  await chmod(home, 0o777);
  const asSomebodyElse =
    process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : [];
  return {
    socket,
    run: (argv: readonly string[]) =>
      attempt([...asSomebodyElse, node, join(folder, 'dist', 'rekindle.js'), ...argv], {
        environment: { PATH: process.env.PATH, HOME: home, DOCKER_HOST: `unix://${socket}`, NO_COLOR: '1' },
      }),
    dispose: async () => {
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
}
