import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Cluster, createCluster, deleteCluster, listClusters, listNodes } from '../scenarios/cluster.ts';
import { faults } from '../scenarios/faults/index.ts';
import { oldEntrypoint, restoreEntrypoint } from '../scenarios/faults/old-entrypoint.ts';
import {
  buildLaboratory,
  missingBuild,
  openLaboratory,
  type RealLaboratory,
  startEngine,
  stopEngine,
} from './laboratory.ts';
import { compareWorlds, renderComparisons } from './compare.ts';
import { profiles } from '../scenarios/profiles.ts';

const usage = `The real lab: a Docker engine with kind clusters to break.

  npm run lab -- build                    make what is missing; builds nothing where Docker, kind and a node image are there
  npm run lab -- up PROFILE               ${Object.entries(profiles)
    .map(([name, shape]) => `${name} (${shape.controlPlanes}+${shape.workers})`)
    .join(', ')}
                 [--name NAME] [--entrypoint old|current]
  npm run lab -- crash FAULT [ARGUMENT]   break the cluster; --clean takes away what the fault left beside it
                 [--name NAME] [--clean]
  npm run lab -- down [--name NAME]       delete the cluster; with --engine stop the lab's engine as well
  npm run lab -- status                   what is there, as JSON
  npm run lab -- compare [SCENARIO...]    play scenarios here and in the simulated world, and list where they differ
                                          (needs npm run build; every play is kept in build/plays)

The cluster is called idp-mvp unless --name says otherwise. Faults:
${faults.map((fault) => `  ${`${fault.name} ${fault.argument ?? ''}`.padEnd(37)} ${fault.summary}`).join('\n')}
`;

/** The command line was wrong; the message says how. */
class UsageError extends Error {}

interface Options {
  readonly name: string;
  readonly entrypoint?: string | undefined;
  readonly clean: boolean;
  readonly engine: boolean;
}

async function main(argv: string[], environment: NodeJS.ProcessEnv): Promise<void> {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      name: { type: 'string', default: 'idp-mvp' },
      entrypoint: { type: 'string' },
      clean: { type: 'boolean', default: false },
      engine: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const [command, subject, argument, ...rest] = positionals;
  if (values.help || command === undefined) {
    process.stderr.write(usage);
    process.exitCode = values.help ? 0 : 2;
    return;
  }
  if (command === 'compare') {
    await compare(positionals.slice(1));
    return;
  }
  if (rest.length > 0) {
    throw new UsageError(`too many arguments: ${rest.join(' ')}`);
  }
  const lab = await openLaboratory(environment, (text) => process.stderr.write(`[lab] ${text}\n`));
  const answer = await dispatch(lab, command, subject, argument, values);
  process.stdout.write(`${JSON.stringify(answer, null, 2)}\n`);
}

async function dispatch(
  lab: RealLaboratory,
  command: string,
  subject: string | undefined,
  argument: string | undefined,
  options: Options,
): Promise<unknown> {
  const cluster: Cluster<RealLaboratory> = { lab, name: options.name };
  switch (command) {
    case 'build':
      lab.say(lab.because);
      await buildLaboratory(lab);
      return { engine: lab.kind, because: lab.because, nodeImage: lab.nodeImage };
    case 'up':
      return bringUp(cluster, subject, options.entrypoint);
    case 'crash':
      return crash(cluster, subject, argument, options.clean);
    case 'down':
      return bringDown(cluster, options.engine);
    case 'status':
      return describeStatus(lab);
    default:
      throw new UsageError(`there is no command ${command}`);
  }
}

async function compare(names: readonly string[]): Promise<void> {
  const comparisons = await compareWorlds(names, join(import.meta.dirname, '..', '..', 'build', 'plays'), (one) =>
    process.stderr.write(`${renderComparisons([one])}\n\n`),
  );
  process.stdout.write(`${renderComparisons(comparisons)}\n`);
  const isAlike = comparisons.every(
    ({ complaints, differences }) =>
      differences.length === 0 && complaints.simulated.length === 0 && complaints.real.length === 0,
  );
  if (!isAlike) process.exitCode = 1;
}

async function bringUp(
  cluster: Cluster<RealLaboratory>,
  profile: string | undefined,
  entrypoint: string | undefined,
): Promise<unknown> {
  if (profile === undefined || profiles[profile] === undefined) {
    throw new UsageError(`up needs a profile: ${Object.keys(profiles).join(', ')}`);
  }
  if (entrypoint !== undefined && entrypoint !== 'old' && entrypoint !== 'current') {
    throw new UsageError(`--entrypoint is old or current, not ${entrypoint}`);
  }
  const missing = missingBuild(cluster.lab);
  if (missing !== undefined) {
    throw new Error(missing);
  }
  await startEngine(cluster.lab);
  const outcome = await createCluster(cluster, profile);
  if (entrypoint === 'old') {
    await oldEntrypoint.stage(cluster, undefined);
  } else if (entrypoint === 'current') {
    await restoreEntrypoint(cluster);
  }
  cluster.lab.say(`cluster ${cluster.name} ${outcome}`);
  return { cluster: cluster.name, profile, outcome, nodes: await listNodes(cluster) };
}

async function crash(
  cluster: Cluster<RealLaboratory>,
  name: string | undefined,
  argument: string | undefined,
  clean: boolean,
): Promise<unknown> {
  const fault = faults.find((each) => each.name === name);
  if (fault === undefined) {
    throw new UsageError(`crash needs a fault: ${faults.map((each) => each.name).join(', ')}`);
  }
  if (argument !== undefined && (fault.argument === undefined || clean)) {
    throw new UsageError(`${fault.name}${clean ? ' --clean' : ''} takes no argument`);
  }
  if (clean && fault.clean === undefined) {
    throw new UsageError(`${fault.name} leaves nothing to clean`);
  }
  cluster.lab.say(`${clean ? 'cleaning up after' : 'staging'} ${fault.name} on ${cluster.name}`);
  const done = clean ? await fault.clean?.(cluster) : await fault.stage(cluster, argument);
  return { fault: fault.name, cluster: cluster.name, ...done };
}

async function bringDown(cluster: Cluster<RealLaboratory>, engine: boolean): Promise<unknown> {
  await deleteCluster(cluster);
  if (engine) {
    await stopEngine(cluster.lab);
  }
  return { cluster: cluster.name, deleted: true, engineStopped: engine };
}

async function describeStatus(lab: RealLaboratory): Promise<unknown> {
  const version = await lab
    .attempt(['docker', 'version', '--format', '{{.Server.Version}}'])
    .catch(() => ({ exitCode: -1, stdout: '' }));
  const running = version.exitCode === 0;
  const images = running ? await lab.run(['docker', 'image', 'ls', '--format', '{{.Repository}}:{{.Tag}}']) : '';
  return {
    engine: {
      kind: lab.kind,
      because: lab.because,
      running,
      ...(running ? { version: version.stdout.trim() } : {}),
      dockerHost: lab.environment.DOCKER_HOST ?? null,
    },
    built: missingBuild(lab) === undefined,
    home: lab.home,
    kubeconfig: lab.environment.KUBECONFIG,
    nodeImage: lab.nodeImage,
    clusters: running ? await listClusters(lab) : [],
    images: images
      .split('\n')
      .filter((image) => image !== '')
      .toSorted(),
  };
}

main(process.argv.slice(2), process.env).catch((error: unknown) => {
  const wrongUsage = error instanceof UsageError || (error instanceof TypeError && 'code' in error);
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${wrongUsage ? `\n${usage}` : ''}`);
  process.exitCode = wrongUsage ? 2 : 1;
});
