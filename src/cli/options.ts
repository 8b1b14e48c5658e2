import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { parseDuration } from './text/duration.ts';

/** The options that several commands share, each defined once. */

const tableOrJson = ['table', 'json'] as const;

export const outputOption = new Option('-o, --output <format>', 'how the result is written')
  .choices(tableOrJson)
  .default('table' as const);
export const doctorOutputOption = new Option('-o, --output <format>', 'how the result is written')
  .choices([...tableOrJson, 'yaml'] as const)
  .default('table' as const);
export const verboseOption = new Option('-v, --verbose', 'also show the evidence and every check');
export const noColorOption = new Option('--no-color', 'write without colours (so does NO_COLOR)');

export const nameOption = new Option(
  '-n, --name <cluster>',
  'the kind cluster (default: KIND_CLUSTER_NAME, or the only one)',
);
export const contextOption = new Option('--context <context>', 'the cluster by its kubeconfig context, kind-<cluster>');
export const kubeconfigOption = new Option(
  '--kubeconfig <file>',
  'the kubeconfig to look at and mend (default: KUBECONFIG, or ~/.kube/config)',
);
export const dockerHostOption = new Option(
  '--docker-host <url>',
  'the Docker engine (default: DOCKER_HOST, or the current docker context)',
);

export const dryRunOption = new Option('--dry-run', 'show the plan and change nothing');
export const yesOption = new Option('-y, --yes', 'apply the plan unasked');
export const onlyOption = new Option('--only <id>', 'mend this finding only; may be given several times')
  .argParser((id: string, earlier: readonly string[] | undefined): readonly string[] => [...(earlier ?? []), id])
  .default([] as readonly string[], 'every finding');
export const maxRiskOption = new Option('--max-risk <risk>', 'safe leaves workloads alone, disruptive may restart some')
  .choices(['safe', 'disruptive'] as const)
  .default('disruptive' as const);
export const timeoutOption = new Option('--timeout <duration>', 'how long to try: 90s, 5m, 1h')
  .argParser(readDuration)
  .default(300_000, '5m');
export const fromOption = new Option('--from <file>', 'judge a bundle or recorded facts instead of a live cluster');
/** Here `--output` is the file, as with other tools that write one. */
export const bundleFormatOption = new Option('-o <format>', 'how the result is written')
  .choices(tableOrJson)
  .default('table' as const);
export const bundleOutputOption = new Option(
  '--output <file>',
  'the file to write, - for standard output (default: rekindle-<cluster>-<time>.tar.gz here)',
);
export const failOnOption = new Option('--fail-on <severity>', 'the least severity that makes the exit code 1')
  .choices(['warning', 'error'] as const)
  .default('error' as const);

export const scenarioOption = new Option('--scenario <name>', 'the crash to play (default: the one of the runbook)');
export const listOption = new Option('--list', 'list the scenarios');
export const keepOption = new Option('--keep', 'heal nothing, and leave the simulated engine up until Ctrl-C');
export const seedOption = new Option('--seed <number>', 'another number makes other chances')
  .argParser(readSeed)
  .default(1);
export const noPauseOption = new Option('--no-pause', 'leave no time to read');

function readSeed(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Write a whole number of at most nine digits.');
  return Number(text);
}

function readDuration(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds === undefined)
    throw new InvalidArgumentError('Write a number with a unit, such as 90s, 5m or 1h30m.');
  return milliseconds;
}
