/** Random crashes, for whoever bundles them (scripts/build.ts): `npm run crashes`. */

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runCrashes } from './pool.ts';
import { describeReport } from './summary.ts';
import { serveCrashes } from './worker.ts';
import { runCrash } from './run.ts';

const usage = `npm run crashes -- [--count 1000] [--from 1] [--seed N] [--verbose]

  --count N    how many seeds to play, default 1000
  --from N     the first of them, default 1
  --seed N     this one alone, with everything there is to tell of it
  --workers N  processes side by side, default 2
  --verbose    tell of every crash, and not only of those that went wrong
`;

const memory = '/dev/shm';

async function main(argv: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      count: { type: 'string', default: '1000' },
      from: { type: 'string', default: '1' },
      seed: { type: 'string' },
      workers: { type: 'string', default: '2' },
      verbose: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const write = (text: string) => process.stdout.write(text);
  if (values.help) {
    write(usage);
    return 0;
  }
  if (values.seed !== undefined) {
    const report = await runCrash(readNumber('--seed', values.seed));
    write(describeReport(report, true));
    return report.complaints.length === 0 ? 0 : 1;
  }
  return await runCrashes({
    script: fileURLToPath(import.meta.url),
    from: readNumber('--from', values.from),
    count: readNumber('--count', values.count),
    workers: readNumber('--workers', values.workers),
    // Journals are flushed to the disk all the time; memory has none.
    environment: existsSync(memory) ? { ...process.env, TMPDIR: memory } : process.env,
    verbose: values.verbose,
    write,
  });
}

function readNumber(option: string, text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 0) throw new Error(`${option} takes a whole number, not ${text}`);
  return number;
}

if (process.send === undefined) {
  try {
    process.exitCode = await main(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n${usage}`);
    process.exitCode = 2;
  }
} else serveCrashes(process);
