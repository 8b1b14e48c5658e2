import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Facts, facts } from '../../facts/facts.ts';
import { UsageError } from '../errors.ts';

/** Recorded facts; rejects with a UsageError that names the file and the first places in it that do not fit. */
export async function readFactsFile(path: string, workingDirectory: string): Promise<Facts> {
  const parsed = facts.safeParse(parseJson(await readText(path, workingDirectory), path));
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => `${formatPath(issue.path)}: ${issue.message}`);
  const shown = problems.slice(0, 3).join('; ');
  const more = problems.length > 3 ? `; and ${problems.length - 3} more` : '';
  throw new UsageError(
    `--from ${path} holds no facts: ${shown}${more}`,
    'it takes facts as docs/schema/facts.json describes them',
  );
}

async function readText(path: string, workingDirectory: string): Promise<string> {
  try {
    return await readFile(resolve(workingDirectory, path), 'utf8');
  } catch (error) {
    throw new UsageError(`--from ${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`--from ${path} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** `containers.value[0].name` */
function formatPath(path: readonly PropertyKey[]): string {
  if (path.length === 0) return 'the file';
  return path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '');
}
