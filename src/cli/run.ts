import { setMaxListeners } from 'node:events';
import { basename, relative } from 'node:path';
import { CommanderError } from '@commander-js/extra-typings';
import type { Surroundings } from '../engine/surroundings.ts';
import type { EngineApi } from './engine-api.ts';
import { BlockedError } from './errors.ts';
import { exitCodes } from './exit-codes.ts';
import { reportFailure } from './hosts/failure.ts';
import type { Invocation } from './invocation.ts';
import { buildProgram } from './program.ts';
import { readWidth, wantsColor } from './render/look.ts';
import type { Streams } from './streams.ts';

/** The whole program over the given streams; resolves with the exit code and never rejects. */
export async function runCli(
  argv: readonly string[],
  surroundings: Surroundings,
  streams: Streams,
  loadEngine: () => Promise<EngineApi>,
): Promise<number> {
  const controller = new AbortController();
  // As many calls listen at once as there are nodes to look into; Node.js would warn of a leak from eleven on.
  setMaxListeners(0, controller.signal);
  let interruptedWith: number | null = null;
  const interrupt = (exitCode: number): void => {
    if (interruptedWith !== null) streams.exitNow(exitCode);
    interruptedWith = exitCode;
    controller.abort(new Error('interrupted'));
  };
  const stopListening = streams.onInterrupt(interrupt);
  const invocation: Invocation = {
    program: nameProgram(argv[1] ?? '', surroundings.workingDirectory),
    surroundings,
    streams,
    loadEngine,
    signal: controller.signal,
    interrupt: () => interrupt(exitCodes.interrupted),
  };
  try {
    return await parse(argv, invocation);
  } catch (error) {
    // What was cut short fails in many ways, and all of them mean this.
    const failure = interruptedWith === null ? error : new BlockedError(interruptedWith, 'interrupted');
    return reportFailure(failure, argv, invocation);
  } finally {
    stopListening();
  }

  async function parse(words: readonly string[], call: Invocation): Promise<number> {
    let exitCode: number = exitCodes.well;
    const program = buildProgram({
      invocation: call,
      version: surroundings.version,
      finish: (code) => {
        exitCode = code;
      },
      writeHelp: (text) => streams.stdout.write(text),
      helpWidth: Math.min(readWidth(streams.stdout), 120),
      helpColors: wantsColor(streams.stdout, surroundings.environment, !words.includes('--no-color')),
    });
    try {
      await program.parseAsync([...words]);
    } catch (error) {
      // Help and version are thrown as well, with 0.
      if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.well;
      throw error;
    }
    return interruptedWith ?? exitCode;
  }
}

/**
 * What the user types: `rekindle`; `kubectl rekindle` as a kubectl plugin, which is called `kubectl-rekindle`; and the
 * file with node before it where it was started that way.
 */
function nameProgram(script: string, workingDirectory: string): string {
  const name = basename(script);
  if (name.startsWith('kubectl-')) return 'kubectl rekindle';
  return name.endsWith('.js') ? `node ${relative(workingDirectory, script) || name}` : 'rekindle';
}
