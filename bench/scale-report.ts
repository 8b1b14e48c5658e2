import { median } from './measure.ts';

/** One run of doctor, seen from outside. */
export interface Look {
  readonly wallMs: number;
  /** User and system time of the process. */
  readonly cpuMs: number;
  readonly residentMegabytes: number;
  /** Requests to the Docker engine, with those that an exec needs. */
  readonly dockerCalls: number;
  readonly execs: number;
  /** Requests to the API server. */
  readonly apiCalls: number;
}

export interface Size {
  readonly nodes: number;
  readonly pods: number;
  readonly looks: readonly Look[];
}

/** Medians; of memory and calls the largest. */
export interface ScaleRow extends Look {
  readonly nodes: number;
  readonly pods: number;
}

export interface Rule {
  readonly what: string;
  readonly seen: string;
  readonly holds: boolean;
}

export interface ScaleReport {
  readonly format: 'rekindle.bench-scale/v1';
  readonly rows: readonly ScaleRow[];
  readonly rules: readonly Rule[];
}

const mostMegabytes = 300;
/** A further node among many may cost this much more than one among few: the machine is not quiet. */
const tolerance = 1.6;

/** Whether doctor grows with a cluster as budgets.ts promises. Takes the sizes from the smallest to the largest. */
export function judgeScale(sizes: readonly Size[]): ScaleReport {
  const rows = sizes.map(toRow);
  return { format: 'rekindle.bench-scale/v1', rows, rules: judge(rows, sizes) };
}

function toRow({ nodes, pods, looks }: Size): ScaleRow {
  const most = (key: keyof Look) => Math.max(...looks.map((look) => look[key]));
  return {
    nodes,
    pods,
    wallMs: median(looks.map(({ wallMs }) => wallMs)),
    cpuMs: median(looks.map(({ cpuMs }) => cpuMs)),
    residentMegabytes: most('residentMegabytes'),
    dockerCalls: most('dockerCalls'),
    execs: most('execs'),
    apiCalls: most('apiCalls'),
  };
}

function judge(rows: readonly ScaleRow[], sizes: readonly Size[]): Rule[] {
  const largest = rows.at(-1);
  if (largest === undefined) return [];
  const execs = rows.map((row) => row.execs / row.nodes);
  const api = rows.map(({ apiCalls }) => apiCalls);
  const docker = slopes(rows, 'dockerCalls');
  const looks = sizes.flatMap(({ looks: all }) => [
    new Set(all.map(({ dockerCalls, execs: one, apiCalls }) => `${dockerCalls} ${one} ${apiCalls}`)).size,
  ]);
  return [
    { what: 'every look asks as much as the one before', seen: '', holds: looks.every((different) => different === 1) },
    { what: 'one exec for each node', seen: list(execs), holds: execs.every((each) => each === 1) },
    { what: 'as many API calls, whatever the size', seen: list(api), holds: new Set(api).size === 1 },
    {
      what: 'as many Docker calls for each further node',
      seen: list(docker),
      holds: docker.every((each) => each === docker[0]),
    },
    judgeGrowth('time for each further node (ms)', slopes(rows, 'wallMs')),
    judgeGrowth('processor time for each further node (ms)', slopes(rows, 'cpuMs')),
    {
      what: `under ${mostMegabytes} MB`,
      seen: `${Math.round(largest.residentMegabytes)} MB`,
      holds: largest.residentMegabytes < mostMegabytes,
    },
  ];
}

/** What each further node costs, between one size and the next. */
function slopes(rows: readonly ScaleRow[], key: keyof Look): number[] {
  return rows.slice(1).flatMap((row, before) => {
    const smaller = rows[before];
    return smaller === undefined ? [] : [(row[key] - smaller[key]) / (row.nodes - smaller.nodes)];
  });
}

/** Linear: the last step costs no more for each node than the mean of those before it, within the tolerance. */
function judgeGrowth(what: string, costs: readonly number[]): Rule {
  const last = costs.at(-1) ?? 0;
  const before = costs.slice(0, -1);
  const mean = before.reduce((sum, each) => sum + each, 0) / Math.max(1, before.length);
  return {
    what: `${what}, at most ${tolerance} times as much among many`,
    seen: list(costs),
    holds: before.length === 0 || last <= tolerance * mean,
  };
}

function list(numbers: readonly number[]): string {
  return numbers.map((each) => String(Math.round(each * 100) / 100)).join(', ');
}

export function renderScale({ rows, rules }: ScaleReport): string {
  const first = rows[0];
  const table = [
    ['nodes', 'pods', 'time', 'ratio', 'per node', 'processor', 'memory', 'Docker calls', 'execs', 'API calls'],
    ...rows.map((row) => [
      String(row.nodes),
      String(row.pods),
      `${Math.round(row.wallMs)} ms`,
      (row.wallMs / (first?.wallMs ?? 1)).toFixed(2),
      `${(row.wallMs / row.nodes).toFixed(1)} ms`,
      `${Math.round(row.cpuMs)} ms`,
      `${Math.round(row.residentMegabytes)} MB`,
      String(row.dockerCalls),
      String(row.execs),
      String(row.apiCalls),
    ]),
  ];
  const widths = table[0]?.map((_, column) => Math.max(...table.map((cells) => (cells[column] ?? '').length))) ?? [];
  const lines = table.map((cells) => cells.map((cell, column) => cell.padStart(widths[column] ?? 0)).join('  '));
  const verdicts = rules.map(
    ({ what, seen, holds }) => `${holds ? 'holds  ' : 'BROKEN '} ${what}${seen === '' ? '' : `: ${seen}`}`,
  );
  return [...lines, '', ...verdicts, ''].join('\n');
}
