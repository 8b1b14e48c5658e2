import { describePlan } from './plan.ts';
import type { CrashReport } from './report.ts';

/** Everything there is to tell of one crash, and how to see it again. */
export function describeReport(report: CrashReport, withStory = report.complaints.length > 0): string {
  const { seed, plan, ending, findings, heals, virtualSeconds, realSeconds, cpuSeconds } = report;
  const left = findings.length === 0 ? '' : ` (${findings.join(', ')})`;
  return [
    `seed ${seed}: ${ending}${left} after ${heals} heals, ${Math.round(virtualSeconds)} s in the world, ${realSeconds.toFixed(1)} s here, ${cpuSeconds.toFixed(2)} s of a processor`,
    ...describePlan(plan).map((line) => `  - ${line}`),
    ...(withStory ? report.story.map((line) => `  . ${line}`) : []),
    ...report.notes.map((note) => `  ~ ${note}`),
    ...report.complaints.map((complaint) => `  ! ${complaint}`),
    ...(report.complaints.length === 0 ? [] : [`  npm run crashes -- --seed ${seed}`]),
    '',
  ].join('\n');
}

/** How many ended how, by fault, by number of heals and by what was left, and which took longest. */
export function summarize(reports: readonly CrashReport[], failed: readonly number[]): string {
  const wentWell = ({ ending }: CrashReport) => ending === 'healthy' || ending === 'degraded';
  const well = reports.filter(wentWell);
  const left = reports.filter((report) => !wentWell(report));
  const byFault = count(reports.flatMap(({ plan }) => [...new Set(plan.faults.map(({ name }) => name))]));
  const amid = count(
    reports.map(({ plan: { during, kill } }) => {
      if (kill !== undefined) return during === undefined ? 'killed' : `killed, and ${during.name}`;
      return during?.name ?? 'nothing';
    }),
  );
  const slowest = reports.toSorted((one, other) => other.cpuSeconds - one.cpuSeconds).slice(0, 5);
  const unstaged = reports.flatMap(({ notes }) => notes.filter((note) => note.includes('could not be staged')));
  const listSeeds = (word: string) =>
    `, seeds ${left
      .filter((report) => tellLeft(report) === word)
      .map(({ seed }) => seed)
      .slice(0, 5)
      .join(' ')}`;
  return [
    '',
    `${reports.length} crashes, ${failed.length} wrong: ${well.length} ended well, ${left.length} with findings that say why not`,
    ...list('heals until it was well', count(well.map(({ heals }) => String(heals)))),
    ...list(
      'what was left',
      count(left.map(tellLeft)).map(([word, number]) => [`${word}${listSeeds(word)}`, number]),
    ),
    ...list('faults', byFault),
    ...list('during the first heal', amid),
    `could not be staged: ${unstaged.length}`,
    ...list(
      `slowest, of ${mean(reports.map(({ cpuSeconds }) => cpuSeconds)).toFixed(2)} s of a processor on average`,
      slowest.map(({ seed, cpuSeconds }) => [`seed ${seed}`, `${cpuSeconds.toFixed(1)} s`]),
    ),
    ...(failed.length === 0
      ? []
      : [`wrong: ${failed.map((seed) => `npm run crashes -- --seed ${seed}`).join('\n       ')}`]),
    '',
  ].join('\n');
}

function tellLeft({ ending, findings }: CrashReport): string {
  return [ending, ...new Set(findings)].join(' ');
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / Math.max(1, numbers.length);
}

function count(words: readonly string[]): [string, string][] {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].sort((one, other) => other[1] - one[1]).map(([word, number]) => [word, String(number)]);
}

function list(title: string, lines: readonly (readonly [string, string])[]): string[] {
  return [`${title}:`, ...lines.map(([word, number]) => `  ${number.padStart(6)}  ${word}`)];
}
