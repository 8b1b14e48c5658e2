import { CommanderError } from '@commander-js/extra-typings';
import type { ErrorDocument } from '../documents.ts';
import { BlockedError, UsageError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Invocation } from '../invocation.ts';
import { commandNames } from '../program.ts';
import { cleanText, toSafeJson } from '../text/clean.ts';

interface Failure {
  readonly exitCode: number;
  readonly message: string;
  readonly hint: string;
}

const reportAt =
  'this is a fault of rekindle: please report it to its project with what you typed and, from REKINDLE_DEBUG=1, the stack';

/**
 * What a command failed of, on standard error: what, why, and what to do next. With `-o json` also as the one
 * document on standard output. Answers the exit code.
 */
export function reportFailure(error: unknown, argv: readonly string[], invocation: Invocation): number {
  const { streams, surroundings, program } = invocation;
  const failure = describeFailure(error, argv, program);
  streams.stderr.write(`rekindle: ${cleanText(failure.message)}\n`);
  if (failure.hint !== '') streams.stderr.write(`  ${cleanText(failure.hint)}\n`);
  if (surroundings.environment['REKINDLE_DEBUG'] === '1' && error instanceof Error) {
    streams.stderr.write(`${describeStack(error)}\n`);
  }
  if (wantsJson(argv)) {
    const document: ErrorDocument = { format: 'rekindle.error/v1', ...failure };
    streams.stdout.write(`${toSafeJson(document)}\n`);
  }
  return failure.exitCode;
}

function describeFailure(error: unknown, argv: readonly string[], program: string): Failure {
  if (error instanceof UsageError) return { exitCode: exitCodes.usage, message: error.message, hint: error.hint };
  if (error instanceof BlockedError) return { exitCode: error.exitCode, message: error.message, hint: error.hint };
  if (error instanceof CommanderError) {
    const message = error.message.replace(/^error: /, '').replace(/\s*\n\s*/g, ' ');
    // `help nope` shows the whole help and throws this.
    if (error.code === 'commander.help' && argv[2] === 'help') {
      return {
        exitCode: exitCodes.usage,
        message: `there is no command "${argv[3] ?? ''}"`,
        hint: `see ${program} --help`,
      };
    }
    const command = argv.slice(2).find((word) => commandNames.includes(word));
    const help = command === undefined ? `${program} --help` : `${program} ${command} --help`;
    return { exitCode: exitCodes.usage, message, hint: `see ${help}` };
  }
  const message = error instanceof Error ? error.message : String(error);
  const expected = error instanceof Error ? expectedErrors[error.name] : undefined;
  if (expected !== undefined) return { exitCode: expected, message, hint: '' };
  return { exitCode: exitCodes.couldNotLook, message: `internal error: ${message}`, hint: reportAt };
}

/** Errors of the layers below that tell of the world and not of a defect, by name: their code need not be loaded. */
const expectedErrors: Readonly<Record<string, number>> = {
  EngineError: exitCodes.couldNotLook,
  KubeError: exitCodes.couldNotLook,
  StateError: exitCodes.couldNotLook,
  // Another run is at work: what it has not mended yet, remains.
  LockedError: exitCodes.findingsRemain,
  RunNotFoundError: exitCodes.usage,
  ConfigurationError: exitCodes.usage,
  UndoError: exitCodes.usage,
};

/** Asked of the words themselves, since the failure may lie in them. */
function wantsJson(argv: readonly string[]): boolean {
  return argv.some(
    (word, index) =>
      word === '-ojson' ||
      word === '--output=json' ||
      (word === 'json' && (argv[index - 1] === '-o' || argv[index - 1] === '--output')),
  );
}

function describeStack(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by ${describeStack(error.cause)}` : '';
  return `${error.stack ?? error.message}${cause}`;
}
