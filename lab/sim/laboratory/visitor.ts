import { join } from 'node:path';
import { readdirSync, readFileSync } from 'node:fs';
import './preload.ts';
import { runCli } from '../../../src/cli/run.ts';
import { makeFakeStreams } from '../../../src/cli/testing/streams.ts';
import type { Clock, Surroundings } from '../../../src/engine/surroundings.ts';
import type { CommandResult } from '../../scenarios/laboratory.ts';
import type { Visitor } from '../../scenarios/scenario.ts';

export interface SimVisitor extends Visitor {
  /** Folder with everything the product keeps. */
  readonly home: string;
  /**
   * The same, killed without warning once its journal has so many entries; `onDeath` has to put its engine out of reach
   * at once, so that nothing it does afterwards reaches the world. Resolves with `killed` where it came to that.
   */
  rekindleUntil(entries: number, onDeath: () => void, ...argv: readonly string[]): Promise<CommandResult | 'killed'>;
}

interface VisitorOptions {
  readonly clock: Clock;
  readonly random: () => number;
  readonly home: string;
  readonly dockerHost: () => string;
}

/** The product as it is, in this process: its streams, its clock and its home are given to it. */
export function makeVisitor({ clock, random, home, dockerHost }: VisitorOptions): SimVisitor {
  // No process has this number, so that the lock of one that was killed is taken over.
  let nextPid = 5_000_000;
  const kubeconfig = join(home, '.kube', 'config');

  function makeSurroundings(own: Clock): Surroundings {
    nextPid += 1;
    return {
      environment: {
        HOME: home,
        KUBECONFIG: kubeconfig,
        XDG_DATA_HOME: join(home, 'data'),
        XDG_CONFIG_HOME: join(home, 'config'),
        DOCKER_HOST: dockerHost(),
        NO_COLOR: '1',
      },
      home,
      platform: 'linux',
      uid: 1000,
      workingDirectory: home,
      clock: own,
      randomId: () =>
        Math.floor(random() * 0xffffffff)
          .toString(16)
          .padStart(8, '0'),
      pid: nextPid,
      hostName: 'laptop',
      version: '0.0.0-simulated',
    };
  }

  async function run(argv: readonly string[], own: Clock): Promise<CommandResult> {
    const streams = makeFakeStreams();
    const words = ['node', '/usr/bin/rekindle', ...argv];
    const exitCode = await runCli(words, makeSurroundings(own), streams, async () => {
      const { engine } = await import('../../../src/cli/engine.ts');
      return engine;
    });
    return { exitCode, stdout: streams.out(), stderr: streams.err() };
  }

  return {
    home,
    kubeconfig,
    rekindle: (...argv) => run(argv, clock),
    async rekindleUntil(entries, onDeath, ...argv) {
      const before = countEntries(home);
      let dead = false;
      const mortal: Clock = {
        ...clock,
        now: () => {
          // Every entry asks for the time before it is written.
          if (!dead && countEntries(home) >= before + entries) {
            dead = true;
            onDeath();
          }
          if (dead) throw new Error('killed');
          return clock.now();
        },
        sleep: (milliseconds, signal) =>
          dead ? Promise.reject(new Error('killed')) : clock.sleep(milliseconds, signal),
      };
      const result = await run(argv, mortal);
      return dead ? 'killed' : result;
    },
  };
}

/** Lines of all journals. */
function countEntries(home: string): number {
  const runs = join(home, 'data', 'rekindle', 'runs');
  let names: string[];
  try {
    names = readdirSync(runs);
  } catch {
    return 0;
  }
  let count = 0;
  for (const name of names) {
    try {
      count += readFileSync(join(runs, name, 'journal.jsonl'), 'utf8').split('\n').length - 1;
    } catch {
      // A run that has not begun its journal yet.
    }
  }
  return count;
}
