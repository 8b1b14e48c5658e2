import { RunNotFoundError } from './errors.ts';
import type { RunStore, RunSummary } from './journal.ts';

/**
 * The run a user means: its id, the beginning of one that fits no other, or `last`, the newest. With `cluster`, only
 * that cluster's runs count. Rejects with a RunNotFoundError that names the closest ids.
 */
export async function resolveRun(store: RunStore, text: string, cluster?: string): Promise<RunSummary> {
  const all = await store.list();
  const runs = cluster === undefined ? all : all.filter((run) => run.cluster === cluster);
  const [newest] = runs;
  const place = cluster === undefined ? '' : ` of the cluster ${cluster}`;
  if (newest === undefined) {
    throw new RunNotFoundError(
      `there are no runs${place} yet: rekindle has changed nothing so far (${store.directory}).`,
    );
  }
  const wanted = text.trim().toLowerCase();
  if (wanted === 'last') return newest;

  const exact = runs.find((run) => run.id === wanted);
  if (exact !== undefined) return exact;
  const elsewhere = all.find((run) => run.id === wanted);
  if (elsewhere !== undefined) {
    throw new RunNotFoundError(`run ${wanted} is one of the cluster ${elsewhere.cluster}, not${place}.`, [wanted]);
  }

  const fitting = wanted === '' ? [] : runs.filter((run) => run.id.startsWith(wanted));
  const [only] = fitting;
  if (only !== undefined && fitting.length === 1) return only;
  if (only !== undefined) {
    const ids = fitting.map((run) => run.id);
    throw new RunNotFoundError(
      `"${text}" fits ${fitting.length} runs${place}: ${nameSome(ids)}. Type more of the id.`,
      ids,
    );
  }
  const closest = findClosest(wanted, runs);
  throw new RunNotFoundError(
    `there is no run "${text}"${place}. ${closest.length > 0 ? `Closest: ${closest.join(', ')}. ` : ''}\`rekindle runs\` lists them.`,
    closest,
  );
}

function nameSome(ids: readonly string[]): string {
  return ids.length <= 3 ? ids.join(', ') : `${ids.slice(0, 3).join(', ')} and ${ids.length - 3} more`;
}

/** Ids that share at least half of their places with the text, or hold it; the best three. */
function findClosest(text: string, runs: readonly RunSummary[]): string[] {
  return runs
    .map(({ id }) => ({ id, score: text.length >= 3 && id.includes(text) ? id.length : countMatches(id, text) }))
    .filter(({ id, score }) => score >= id.length / 2)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, 3)
    .map(({ id }) => id);
}

function countMatches(id: string, text: string): number {
  return Array.from(id).filter((character, index) => character === text[index]).length;
}
