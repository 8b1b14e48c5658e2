import { copyFile, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { x } from 'tinyexec';
import type { CommandResult } from '../../../scenarios/laboratory.ts';
import { attempt } from '../../command.ts';
import type { RealLaboratory } from '../../laboratory.ts';
import { readJournal } from './documents.ts';

const program = join(import.meta.dirname, '..', '..', '..', '..', 'dist', 'rekindle.js');

/** The product as a user has it: the built program, with a home of its own. */
export interface Product {
  /** Folder with everything the product keeps, and with its kubeconfig. */
  readonly home: string;
  /** A copy of the lab's kubeconfig, so that what the product does to it stays here. */
  readonly kubeconfig: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Without a terminal; resolves with how it ended, whatever that was. */
  readonly rekindle: (...argv: readonly string[]) => Promise<CommandResult>;
  /** Starts it and leaves it running. */
  start(...argv: readonly string[]): RunningProduct;
  /** Text of every journal there is, oldest run first; what is being written may be cut short. */
  readJournals(): Promise<string[]>;
  /** How many steps of all runs were recorded as done. */
  countStepsDone(): Promise<number>;
  dispose(): Promise<void>;
}

export interface RunningProduct {
  readonly pid: number;
  kill(signal: NodeJS.Signals): void;
  readonly ended: Promise<CommandResult>;
  /** True once the process has ended. */
  hasEnded(): boolean;
}

export async function installProduct(lab: RealLaboratory): Promise<Product> {
  const home = await mkdtemp(join(tmpdir(), 'rekindle-real-'));
  const kubeconfig = join(home, 'kubeconfig');
  await copyFile(lab.environment.KUBECONFIG ?? '', kubeconfig);
  const environment: NodeJS.ProcessEnv = {
    // The PATH of whoever runs the tests: the product must not need the lab's docker, kind or kubectl.
    PATH: process.env.PATH,
    HOME: home,
    KUBECONFIG: kubeconfig,
    XDG_CONFIG_HOME: join(home, 'config'),
    XDG_DATA_HOME: join(home, 'data'),
    XDG_STATE_HOME: join(home, 'state'),
    XDG_CACHE_HOME: join(home, 'cache'),
    NO_COLOR: '1',
    ...(lab.environment.DOCKER_HOST === undefined ? {} : { DOCKER_HOST: lab.environment.DOCKER_HOST }),
  };
  const readJournals = () => readAllJournals(home);
  return {
    home,
    kubeconfig,
    environment,
    rekindle: (...argv) => attempt([process.execPath, program, ...argv], { environment }),
    start: (...argv) => startProduct(argv, environment),
    readJournals,
    countStepsDone: async () =>
      (await readJournals()).flatMap(readJournal).filter((entry) => entry.type === 'step-done').length,
    dispose: () => rm(home, { recursive: true, force: true }),
  };
}

export const builtProgram = program;

function startProduct(argv: readonly string[], environment: NodeJS.ProcessEnv): RunningProduct {
  const child = x(process.execPath, [program, ...argv], {
    inheritEnv: false,
    nodePath: false,
    stdin: '',
    nodeOptions: { env: environment },
  });
  let over = false;
  const ended = Promise.resolve(child).then((output) => {
    over = true;
    return { exitCode: output.exitCode ?? -1, stdout: output.stdout, stderr: output.stderr };
  });
  return {
    pid: child.pid ?? -1,
    kill: (signal) => void child.kill(signal),
    ended,
    hasEnded: () => over,
  };
}

async function readAllJournals(home: string): Promise<string[]> {
  const files = await readdir(home, { recursive: true }).catch(() => []);
  const texts: string[] = [];
  for (const file of files.filter((name) => name.endsWith('.jsonl')).toSorted()) {
    const text = await readFile(join(home, file), 'utf8').catch(() => '');
    if (text.includes('"run-started"')) {
      texts.push(text);
    }
  }
  return texts;
}
