import { Command } from '@commander-js/extra-typings';
import { runBundle } from './commands/bundle.ts';
import { runDoctor } from './commands/doctor.ts';
import { runExplain } from './commands/explain.ts';
import { runHeal } from './commands/heal.ts';
import { runRuns } from './commands/runs.ts';
import { runStatus } from './commands/status.ts';
import { runUndo } from './commands/undo.ts';
import { UsageError } from './errors.ts';
import { bundleHelp, commonHelp, demoHelp, doctorHelp, explainHelp, healHelp, runsHelp, undoHelp } from './help.ts';
import type { Invocation } from './invocation.ts';
import {
  bundleFormatOption,
  bundleOutputOption,
  contextOption,
  dockerHostOption,
  doctorOutputOption,
  dryRunOption,
  failOnOption,
  fromOption,
  keepOption,
  kubeconfigOption,
  listOption,
  maxRiskOption,
  nameOption,
  noColorOption,
  noPauseOption,
  onlyOption,
  outputOption,
  scenarioOption,
  seedOption,
  timeoutOption,
  verboseOption,
  yesOption,
} from './options.ts';
import { findNearest } from './text/nearest.ts';

export const commandNames = ['doctor', 'heal', 'explain', 'runs', 'undo', 'bundle', 'demo'];

interface Terms {
  readonly invocation: Invocation;
  readonly version: string;
  /** Takes the exit code of the command that was run. */
  readonly finish: (exitCode: number) => void;
  readonly writeHelp: (text: string) => void;
  readonly helpWidth: number;
  readonly helpColors: boolean;
}

/** The command line, without any command's code: that is loaded when its command is run. */
export function buildProgram(terms: Terms): Command {
  const { invocation, finish } = terms;
  const { program: name } = invocation;
  const program = new Command(name);
  program
    .description('Brings a kind cluster back to life after a crash, and loses nothing.')
    .version(terms.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .helpCommand('help [command]', 'show the help of a command')
    .configureHelp({ styleTitle: (title) => `\u001b[1m${title}\u001b[22m`, showGlobalOptions: false })
    .configureOutput({
      writeOut: terms.writeHelp,
      writeErr: terms.writeHelp,
      // Errors are thrown, and reported in one place.
      outputError: () => undefined,
      getOutHelpWidth: () => terms.helpWidth,
      getErrHelpWidth: () => terms.helpWidth,
      getOutHasColors: () => terms.helpColors,
      getErrHasColors: () => terms.helpColors,
    })
    .exitOverride()
    .addHelpText('after', commonHelp(name));

  // The command that is run where none is named; its options are shown by the program's own help.
  program
    .command('status', { isDefault: true, hidden: true })
    .description('the state of every kind cluster of this engine, one line each')
    .argument('[command]')
    .addOption(outputOption)
    .addOption(dockerHostOption)
    .addOption(kubeconfigOption)
    .addOption(verboseOption)
    .addOption(noColorOption)
    .action(async (command, options) => {
      if (command !== undefined) throw explainUnknownCommand(command, name);
      finish(await runStatus(options, invocation));
    });

  program
    .command('doctor')
    .description('find out what is wrong, and change nothing')
    .addOption(nameOption)
    .addOption(contextOption)
    .addOption(fromOption)
    .addOption(doctorOutputOption)
    .addOption(failOnOption)
    .addOption(dockerHostOption)
    .addOption(kubeconfigOption)
    .addOption(verboseOption)
    .addOption(noColorOption)
    .addHelpText('after', doctorHelp(name))
    .action(async (options) => {
      finish(await runDoctor(options, invocation));
    });

  program
    .command('heal')
    .description('plan the repair, ask, apply it and verify it')
    .addOption(nameOption)
    .addOption(contextOption)
    .addOption(dryRunOption)
    .addOption(yesOption)
    .addOption(onlyOption)
    .addOption(maxRiskOption)
    .addOption(timeoutOption)
    .addOption(outputOption)
    .addOption(dockerHostOption)
    .addOption(kubeconfigOption)
    .addOption(verboseOption)
    .addOption(noColorOption)
    .addHelpText('after', healHelp(name))
    .action(async (options) => {
      finish(await runHeal(options, invocation));
    });

  program
    .command('explain')
    .description('what a finding means, how it was established, and the way by hand')
    .argument('[id]', 'the finding, such as node/kubelet-endpoint-stale')
    .addOption(fromOption)
    .addOption(outputOption)
    .addOption(noColorOption)
    .addHelpText('after', explainHelp(name))
    .action(async (id, options) => {
      finish(await runExplain(id, options, invocation));
    });

  program
    .command('runs')
    .description('what was done: every run, or one with its steps and diffs')
    .argument('[run]', 'the run, or the beginning of its id, or `last`')
    .addOption(outputOption)
    .addOption(noColorOption)
    .addHelpText('after', runsHelp(name))
    .action(async (run, options) => {
      finish(await runRuns(run, options, invocation));
    });

  program
    .command('undo')
    .description('put back byte for byte what a run changed')
    .argument('<run>', 'the run, or the beginning of its id, or `last`')
    .addOption(dryRunOption)
    .addOption(yesOption)
    .addOption(outputOption)
    .addOption(dockerHostOption)
    .addOption(kubeconfigOption)
    .addOption(verboseOption)
    .addOption(noColorOption)
    .addHelpText('after', undoHelp(name))
    .action(async (run, options) => {
      finish(await runUndo(run, options, invocation));
    });

  program
    .command('bundle')
    .description('write facts, findings, runs and logs to one file, without secrets')
    .addOption(nameOption)
    .addOption(contextOption)
    .addOption(bundleOutputOption)
    .addOption(bundleFormatOption)
    .addOption(dockerHostOption)
    .addOption(kubeconfigOption)
    .addOption(verboseOption)
    .addOption(noColorOption)
    .addHelpText('after', bundleHelp(name))
    .action(async (options) => {
      finish(await runBundle(options, invocation));
    });

  program
    .command('demo')
    .description('a crash in a simulated cluster, diagnosed and mended before your eyes')
    .addOption(scenarioOption)
    .addOption(listOption)
    .addOption(keepOption)
    .addOption(seedOption)
    .addOption(noPauseOption)
    .addOption(outputOption)
    .addOption(noColorOption)
    .addHelpText('after', demoHelp(name))
    .action(async (options) => {
      const { runDemo } = await import('./commands/demo.ts');
      finish(await runDemo(options, invocation));
    });

  return program;
}

function explainUnknownCommand(command: string, program: string): UsageError {
  if (commandNames.includes(command)) {
    return new UsageError('options go after the command', `as in ${program} ${command} -o json`);
  }
  const [nearest] = findNearest(command, commandNames);
  return new UsageError(
    `there is no command "${command}"`,
    nearest === undefined ? `see ${program} --help` : `did you mean ${program} ${nearest}?`,
  );
}
