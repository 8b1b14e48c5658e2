import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Cluster, createCluster, deleteCluster } from '../lab/scenarios/cluster.ts';
import { attempt } from '../lab/kind/command.ts';
import { CommandError } from '../lab/scenarios/laboratory.ts';
import { missingBuild, openLaboratory, startEngine } from '../lab/kind/laboratory.ts';
import { installProduct, type Product } from '../lab/kind/real/support/product.ts';
import { waitUntilWell } from '../lab/scenarios/waiting.ts';
import { alternate, type Comparison, time } from './measure.ts';
import {
  against,
  stageRunbookCrash,
  timeRecovery,
  timeRecreation,
  timeUnharmedRestart,
  typedDiagnosis,
  typedFix,
} from './recovery.ts';
import { compare, type Measured, renderReport } from './report.ts';
import { benchScale } from './scale.ts';

const usage = `Measures rekindle beside what people do without it, on the real lab, in one run.

  npm run bench -- [--json] [--name CLUSTER] [--rounds N] [--only start|doctor|heal]
  npm run bench -- scale [--json] [--rounds N]      on simulated clusters, which needs no lab

The cluster (rekindle-bench unless named) is made, broken, and deleted at the end. Takes about 12 minutes on 2 cores.
`;

const parts = ['start', 'doctor', 'heal'] as const;
type Part = (typeof parts)[number];

async function main(argv: string[]): Promise<void> {
  if (argv[0] === 'scale') {
    process.exitCode = await benchScale(argv.slice(1), say);
    return;
  }
  const { values } = parseArgs({
    args: argv,
    options: {
      json: { type: 'boolean', default: false },
      name: { type: 'string', default: 'rekindle-bench' },
      rounds: { type: 'string', default: '3' },
      only: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const rounds = Number(values.rounds);
  const wanted = parts.filter((part) => values.only === undefined || values.only === part);
  if (values.help || !Number.isInteger(rounds) || rounds < 1 || wanted.length === 0) {
    process.stderr.write(usage);
    process.exitCode = values.help ? 0 : 2;
    return;
  }
  const rows = compare(await measure(values.name, rounds, wanted));
  process.stdout.write(
    values.json ? `${JSON.stringify({ format: 'rekindle.bench/v1', rows }, null, 2)}\n` : renderReport(rows),
  );
}

async function measure(name: string, rounds: number, wanted: readonly Part[]): Promise<Measured> {
  const lab = await openLaboratory(process.env, say);
  const missing = missingBuild(lab);
  if (missing !== undefined) {
    throw new Error(missing);
  }
  const start = wanted.includes('start') ? { start: await measureStart() } : {};
  if (!wanted.includes('doctor') && !wanted.includes('heal')) {
    return start;
  }
  await startEngine(lab);
  const cluster: Cluster = { lab, name };
  await createCluster(cluster, 'workers');
  await waitUntilWell(cluster, { timeoutMs: 240_000 });
  const product = await installProduct(lab);
  try {
    const doctor = wanted.includes('doctor') ? { doctor: await measureDoctor(cluster, product, 2 * rounds + 1) } : {};
    const heal = wanted.includes('heal') ? await measureHeal(cluster, product, rounds) : {};
    return { ...start, ...doctor, ...heal };
  } finally {
    await product.dispose();
    await deleteCluster(cluster);
  }
}

function measureStart(): Promise<Comparison> {
  const program = join(import.meta.dirname, '..', 'dist', 'rekindle.js');
  const node = (...argv: string[]) => time(() => runProduct([process.execPath, ...argv], process.env));
  say('start: 20 rounds');
  return alternate(
    20,
    () => node(program, '--version'),
    () => node('-e', '0'),
  );
}

/** On the broken cluster, since that is when people ask. */
async function measureDoctor(cluster: Cluster, product: Product, rounds: number): Promise<Comparison> {
  say("doctor: staging the runbook's crash");
  await stageRunbookCrash(cluster);
  return alternate(
    rounds,
    () => time(() => expectExit(product, ['doctor', '--name', cluster.name], 1)),
    () => time(() => typedDiagnosis(cluster)),
    (round) => say(`doctor: round ${round} of ${rounds}`),
  );
}

async function measureHeal(cluster: Cluster, product: Product, rounds: number): Promise<Measured> {
  const heal = await alternate(
    rounds,
    () => timeRecovery(cluster, () => expectExit(product, ['heal', '--name', cluster.name, '--yes'], 0)),
    () => timeRecovery(cluster, () => typedFix(cluster)),
    (round) => say(`heal and typed fix: round ${round} of ${rounds}`),
  );
  say('unharmed restart');
  const restarts: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    restarts.push(await timeUnharmedRestart(cluster));
  }
  say('kind delete + create');
  const recreation = await timeRecreation(cluster);
  return {
    'heal-typed': heal,
    'heal-recreate': against(heal, [recreation]),
    'heal-restart': against(heal, restarts),
  };
}

async function expectExit(product: Product, argv: readonly string[], exitCode: number): Promise<void> {
  const result = await product.rekindle(...argv);
  if (result.exitCode !== exitCode) {
    throw new CommandError(['rekindle', ...argv], result);
  }
}

async function runProduct(argv: readonly string[], environment: NodeJS.ProcessEnv): Promise<void> {
  const result = await attempt(argv, { environment });
  if (result.exitCode !== 0) {
    throw new CommandError(argv, result);
  }
}

function say(text: string): void {
  process.stderr.write(`[bench] ${text}\n`);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
