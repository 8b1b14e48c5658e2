import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Laboratory } from '../scenarios/laboratory.ts';
import { attempt, run } from './command.ts';

/** The engine, programs and images that are really there. */
export interface RealLaboratory extends Laboratory {
  /** `existing`: a Docker engine, kind and node image that were there already. `own`: those made by build.sh. */
  readonly kind: 'existing' | 'own';
  /** One sentence: why this one. */
  readonly because: string;
  /** The complete environment of every command of the lab. */
  readonly environment: NodeJS.ProcessEnv;
  /** Tells the person at the terminal what is being done; never data. */
  say(text: string): void;
}

export const labFolder = import.meta.dirname;
const ownNodeImage = 'kindest/node:v1.34.4';

/**
 * Picks the lab: an engine that answers, with a kindest/node image, kind and kubectl on the PATH, is used as it is;
 * otherwise the lab's own, whether it has been built yet or not.
 */
export async function openLaboratory(
  inherited: NodeJS.ProcessEnv,
  say: (text: string) => void,
): Promise<RealLaboratory> {
  const home = inherited.REKINDLE_LAB_HOME ?? join(homedir(), '.cache', 'rekindle-lab');
  // A kubeconfig of the lab's own: the user's is never written to.
  const environment: NodeJS.ProcessEnv = { ...inherited, KUBECONFIG: join(home, 'kubeconfig') };
  const ownSocket = `unix://${join(home, 'docker.sock')}`;
  // A shell that sourced lib.sh has the own lab's engine and programs, which are no less its own for that.
  const found: Found =
    inherited.DOCKER_HOST === ownSocket
      ? { ok: false, because: 'DOCKER_HOST names it' }
      : await findExisting(environment);
  if (found.ok) {
    return assemble('existing', found.because, home, environment, found.image, say);
  }
  const path = ['bin', 'engine/usr/bin', 'engine/usr/sbin'].map((folder) => join(home, folder));
  return assemble(
    'own',
    `the lab's own, because ${found.because}`,
    home,
    {
      ...environment,
      PATH: [...path, inherited.PATH ?? ''].join(delimiter),
      DOCKER_HOST: ownSocket,
    },
    ownNodeImage,
    say,
  );
}

/** Tells why the own lab cannot be used yet, or nothing where it can. */
export function missingBuild(lab: RealLaboratory): string | undefined {
  const complete = lab.kind === 'existing' || existsSync(join(lab.home, 'stamps', 'lb-image'));
  return complete ? undefined : 'the lab is not built yet: npm run lab -- build';
}

/** Builds what is missing (about 19 minutes from nothing on 2 cores) and leaves the engine running. */
export async function buildLaboratory(lab: RealLaboratory): Promise<void> {
  if (lab.kind === 'own') {
    await lab.run([join(labFolder, 'build.sh')], { show: 'stderr', timeoutMs: 7_200_000 });
  }
}

export async function startEngine(lab: RealLaboratory): Promise<void> {
  if (lab.kind === 'own') {
    await lab.run([join(labFolder, 'engine.sh'), 'start'], { show: 'stderr' });
  }
}

export async function stopEngine(lab: RealLaboratory): Promise<void> {
  if (lab.kind === 'existing') {
    throw new Error(`the engine is not the lab's own and stays up: ${lab.because}`);
  }
  await lab.run([join(labFolder, 'engine.sh'), 'stop'], { show: 'stderr' });
}

type Found =
  | { readonly ok: true; readonly because: string; readonly image: string }
  | { readonly ok: false; readonly because: string };

async function findExisting(environment: NodeJS.ProcessEnv): Promise<Found> {
  const images = await tryProgram(
    ['docker', 'image', 'ls', 'kindest/node', '--format', '{{.Repository}}:{{.Tag}}'],
    environment,
  );
  if (images === undefined) {
    return { ok: false, because: 'no Docker engine answers here' };
  }
  const image = images.split('\n').find((line) => line !== '' && !line.endsWith(':<none>'));
  if (image === undefined) {
    return { ok: false, because: 'the Docker engine here has no kindest/node image' };
  }
  for (const argv of [
    ['kind', 'version'],
    ['kubectl', 'version', '--client'],
  ]) {
    if ((await tryProgram(argv, environment)) === undefined) {
      return { ok: false, because: `there is no ${argv[0]} on the PATH` };
    }
  }
  const host = environment.DOCKER_HOST ?? 'the default engine';
  return { ok: true, because: `${host} answers and has ${image}; kind and kubectl are on the PATH`, image };
}

async function tryProgram(argv: readonly string[], environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  try {
    return await run(argv, { environment, timeoutMs: 20_000 });
  } catch {
    return undefined;
  }
}

function assemble(
  kind: RealLaboratory['kind'],
  because: string,
  home: string,
  environment: NodeJS.ProcessEnv,
  nodeImage: string,
  say: (text: string) => void,
): RealLaboratory {
  return {
    kind,
    because,
    home,
    environment,
    nodeImage,
    clock: { now: () => Date.now(), sleep: (milliseconds) => delay(milliseconds) },
    run: (argv, options) => run(argv, { ...options, environment }),
    attempt: (argv, options) => attempt(argv, { ...options, environment }),
    say,
  };
}
