import { x } from 'tinyexec';

/** What a command left behind; `exitCode` is -1 where a signal or the time limit ended it. */
export interface CommandResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  /** The whole environment of the command; nothing is inherited. */
  readonly environment: NodeJS.ProcessEnv;
  /** Written to the command's standard input, which is then closed. */
  readonly stdin?: string;
  /** Milliseconds after which the command is ended; default 10 minutes. */
  readonly timeoutMs?: number;
  /** `stderr`: what the command prints goes to our standard error as it comes, and is not collected. */
  readonly show?: 'stderr';
  readonly signal?: AbortSignal;
}

/** A command that failed: what can be pasted to try it again, how it ended, and what it said. */
export class CommandError extends Error {
  readonly result: CommandResult;
  constructor(argv: readonly string[], result: CommandResult) {
    const said = result.stderr.trim() || result.stdout.trim();
    super(`${argv.map(quoteArgument).join(' ')} ended with ${result.exitCode}${said === '' ? '' : `:\n${said}`}`);
    this.name = 'CommandError';
    this.result = result;
  }
}

/** Runs a command and resolves with how it ended, whatever that was. Rejects only where it could not be started. */
export async function attempt(argv: readonly string[], options: CommandOptions): Promise<CommandResult> {
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
export async function run(argv: readonly string[], options: CommandOptions): Promise<string> {
  const result = await attempt(argv, options);
  if (result.exitCode !== 0) {
    throw new CommandError(argv, result);
  }
  return result.stdout;
}

function quoteArgument(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}
