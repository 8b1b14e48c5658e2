/** Milliseconds of one side of a comparison, one number per round. */
export type Samples = readonly number[];

export interface Comparison {
  readonly ours: Samples;
  readonly theirs: Samples;
}

/** Median of the numbers; NaN where there are none. */
export function median(samples: Samples): number {
  const sorted = samples.toSorted((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** How many milliseconds something takes. */
export async function time(act: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await act();
  return performance.now() - start;
}

/**
 * Measures two sides in turns, so that a machine that is slow for a while is slow for both; which of them comes first
 * changes from round to round. Each side answers milliseconds.
 */
export async function alternate(
  rounds: number,
  ours: () => Promise<number>,
  theirs: () => Promise<number>,
  progress: (round: number) => void = () => undefined,
): Promise<Comparison> {
  const samples: { ours: number[]; theirs: number[] } = { ours: [], theirs: [] };
  for (let round = 1; round <= rounds; round += 1) {
    progress(round);
    const sides = round % 2 === 1 ? (['ours', 'theirs'] as const) : (['theirs', 'ours'] as const);
    for (const side of sides) {
      samples[side].push(await (side === 'ours' ? ours() : theirs()));
    }
  }
  return samples;
}
