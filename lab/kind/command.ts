import { x } from 'tinyexec';
import { CommandError, type CommandOptions, type CommandResult } from '../scenarios/laboratory.ts';

/** How a program is run for real. */
export interface ProcessOptions extends CommandOptions {
  /** The whole environment of the command; nothing is inherited. */
  readonly environment: NodeJS.ProcessEnv;
}

/** Runs a command and resolves with how it ended, whatever that was. Rejects only where it could not be started. */
export async function attempt(argv: readonly string[], options: ProcessOptions): Promise<CommandResult> {
  const [program = '', ...rest] = argv;
  const child = x(program, rest, {
    inheritEnv: false,
    nodePath: false,
    timeout: options.timeoutMs ?? 600_000,
    stdin: options.stdin ?? '',
    ...(options.signal === undefined ? {} : { signal: options.signal }),
    nodeOptions: {
      env: options.environment,
      ...(options.show === 'stderr' ? { stdio: ['pipe', 2, 2] } : {}),
    },
  });
  const output = await child;
  return { exitCode: output.exitCode ?? -1, stdout: output.stdout, stderr: output.stderr };
}

/** Runs a command and resolves with its standard output. Rejects with a CommandError where it fails. */
export async function run(argv: readonly string[], options: ProcessOptions): Promise<string> {
  const result = await attempt(argv, options);
  if (result.exitCode !== 0) {
    throw new CommandError(argv, result);
  }
  return result.stdout;
}
