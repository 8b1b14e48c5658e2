/**
 * A place with a Docker engine, kind and kubectl, in which clusters are made and broken. The real one runs the programs;
 * the simulated one plays them. Faults and scenarios know no other way to act, so that they are the same in both.
 */

/** What a command left behind; `exitCode` is -1 where a signal or the time limit ended it. */
export interface CommandResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
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

export interface Laboratory {
  /** Folder with everything the lab keeps on the host. */
  readonly home: string;
  readonly nodeImage: string;
  readonly clock: LabClock;
  /** Standard output of a command; rejects with a CommandError where it fails. */
  run(argv: readonly string[], options?: CommandOptions): Promise<string>;
  /** How a command ended, whatever that was. */
  attempt(argv: readonly string[], options?: CommandOptions): Promise<CommandResult>;
}

/** The time that passes in the lab. */
export interface LabClock {
  /** Milliseconds since the epoch. */
  now(): number;
  sleep(milliseconds: number): Promise<void>;
}

function quoteArgument(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}
