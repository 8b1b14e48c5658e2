import { type Budget, budgets } from './budgets.ts';
import { type Comparison, median } from './measure.ts';

export type Measured = Readonly<Partial<Record<Budget['id'], Comparison>>>;

export interface Row {
  readonly id: Budget['id'];
  readonly what: string;
  readonly against: string;
  /** Medians in milliseconds. */
  readonly ours: number;
  readonly theirs: number;
  readonly ratio: number;
  readonly budget: number | null;
  readonly within: boolean | null;
  readonly samples: Comparison;
}

/** One row for each budget that was measured. */
export function compare(measured: Measured): Row[] {
  return budgets.flatMap((budget) => {
    const samples = measured[budget.id];
    if (samples === undefined) {
      return [];
    }
    const ours = median(samples.ours);
    const theirs = median(samples.theirs);
    const ratio = ours / theirs;
    return [
      {
        id: budget.id,
        what: budget.what,
        against: budget.against,
        ours,
        theirs,
        ratio,
        budget: budget.atMost,
        within: budget.atMost === null ? null : ratio <= budget.atMost,
        samples,
      },
    ];
  });
}

/** The rows as a table for people, and the numbers they come from. */
export function renderReport(rows: readonly Row[]): string {
  const table = [
    ['what', 'against', 'ours', 'theirs', 'ratio', 'budget', ''],
    ...rows.map((row) => [
      row.what,
      row.against,
      formatMilliseconds(row.ours),
      formatMilliseconds(row.theirs),
      row.ratio.toFixed(2),
      row.budget === null ? '-' : `<= ${row.budget}`,
      row.within === null ? '' : row.within ? 'within' : 'OVER',
    ]),
  ];
  const widths = table[0]?.map((_, column) => Math.max(...table.map((cells) => (cells[column] ?? '').length))) ?? [];
  const lines = table.map((cells) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const raw = rows.map(
    (row) =>
      `  ${row.id}: ours ${row.samples.ours.map(Math.round).join(' ')}; theirs ${row.samples.theirs.map(Math.round).join(' ')}`,
  );
  return [...lines, '', 'Milliseconds, in the order measured; the table shows medians:', ...raw, ''].join('\n');
}

function formatMilliseconds(milliseconds: number): string {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}
