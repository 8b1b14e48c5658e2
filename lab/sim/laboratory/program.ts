import type { CommandOptions, CommandResult } from '../../scenarios/laboratory.ts';

/** A program of the simulated laboratory's host: its arguments without its own name. */
export type Program = (argv: readonly string[], options: CommandOptions) => Promise<CommandResult>;

/** A command line that the simulated program does not know. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export function say(stdout: string): CommandResult {
  return { exitCode: 0, stdout, stderr: '' };
}

export function fail(exitCode: number, stderr: string): CommandResult {
  return { exitCode, stdout: '', stderr: `${stderr}\n` };
}

/** Options, as `--name value` or `--name=value`, and what else there is. Throws a UsageError on an unknown one. */
export function readArguments(
  words: readonly string[],
  known: Readonly<Record<string, 'flag' | 'value'>>,
): { readonly flags: Readonly<Record<string, string | undefined>>; readonly rest: readonly string[] } {
  const flags: Record<string, string> = {};
  const rest: string[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? '';
    if (!word.startsWith('--')) {
      rest.push(word);
      continue;
    }
    const [name = '', inline] = word.includes('=')
      ? [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]
      : [word];
    const kind = known[name];
    if (kind === undefined) throw new UsageError(`the simulated program knows no option ${name}`);
    if (kind === 'flag') flags[name] = 'true';
    else {
      flags[name] = inline ?? words[index + 1] ?? '';
      if (inline === undefined) index += 1;
    }
  }
  return { flags, rest };
}
