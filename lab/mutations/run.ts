import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { x } from 'tinyexec';
import * as z from 'zod';
import { type Mutation, mutations } from './mutations.ts';

/*
 * Makes one fault of the product after the other in a copy of the project, and names the tests that catch it: those of
 * checks, repairs and engine, and the scenarios in the simulated world. Ends with 1 where one is caught by none.
 */

const root = fileURLToPath(new URL('../..', import.meta.url));
const copied = ['src', 'lab', 'scripts', 'bench', 'docs', 'package.json', 'tsconfig.json', 'vitest.config.ts'];
const suites = [['src/checks', 'src/repairs', 'src/engine/plan.test.ts'], ['lab/sim/scenarios.test.ts']];

const report = z.object({
  testResults: z.array(z.object({ assertionResults: z.array(z.object({ status: z.string(), fullName: z.string() })) })),
});

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'rekindle-mutations-'));
  let missed = 0;
  try {
    for (const name of copied) await cp(join(root, name), join(folder, name), { recursive: true });
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    for (const [index, mutation] of mutations.entries()) {
      const caught = await tryMutation(folder, mutation);
      if (caught.length === 0) missed += 1;
      const told = caught.slice(0, 3).map((test) => `\n     ${test}`);
      const more = caught.length > 3 ? `\n     and ${caught.length - 3} more` : '';
      process.stdout.write(
        `${caught.length === 0 ? '✘' : '✔'} ${index + 1}. ${mutation.name} (${mutation.file})${told.join('')}${more}\n`,
      );
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  process.stdout.write(`${mutations.length - missed} of ${mutations.length} caught\n`);
  if (missed > 0) process.exitCode = 1;
}

async function tryMutation(folder: string, mutation: Mutation): Promise<string[]> {
  const path = join(folder, mutation.file);
  const text = await readFile(path, 'utf8');
  if (text.split(mutation.from).length !== 2)
    throw new Error(`${mutation.file} does not hold the text of "${mutation.name}" exactly once`);
  await writeFile(
    path,
    text.replace(mutation.from, () => mutation.to),
  );
  try {
    await run(folder, ['npx', 'tsx', 'scripts/build.ts']);
    const caught: string[] = [];
    for (const suite of suites) caught.push(...(await listFailures(folder, suite)));
    return caught;
  } finally {
    await writeFile(path, text);
  }
}

async function listFailures(folder: string, suite: readonly string[]): Promise<string[]> {
  const output = join(folder, 'report.json');
  await rm(output, { force: true });
  await x('npx', ['vitest', 'run', ...suite, '--reporter=json', `--outputFile=${output}`], {
    nodeOptions: { cwd: folder },
  });
  const { testResults } = report.parse(JSON.parse(await readFile(output, 'utf8')));
  return testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'failed')
    .map(({ fullName }) => fullName);
}

async function run(folder: string, [program = '', ...rest]: readonly string[]): Promise<void> {
  const { exitCode, stderr } = await x(program, rest, { nodeOptions: { cwd: folder } });
  if (exitCode !== 0) throw new Error(`${program} ${rest.join(' ')} ended with ${exitCode}: ${stderr}`);
}

await main();
