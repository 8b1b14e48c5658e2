import type { DemoEvent, DemoListDocument, DemoPicture, DemoRemainder } from '../documents.ts';
import { formatDuration } from '../text/duration.ts';
import { flow, measure, pad, type Style } from '../text/flow.ts';
import { count, formatTime } from '../text/words.ts';
import { type Look, markOf } from './look.ts';

/** What is simulated and what is not, before anything else. */
export function describeIntroduction(title: string, look: Look): string[] {
  const { palette, width } = look;
  return [
    ...flow([{ text: title, style: palette.bold }], { width, first: '' }),
    '',
    ...flow(
      [
        { text: 'Simulated:', style: palette.yellow },
        {
          text: ' a Docker engine, a kind cluster and all that runs in it, inside this process. Real: rekindle itself, which talks to them over a socket and HTTPS as it would to yours. Your own Docker, clusters and kubeconfig are not touched.',
        },
      ],
      { width, first: '' },
    ),
  ];
}

export function describeTitle(title: string, look: Look): string[] {
  const { palette } = look;
  const rule = Number.isFinite(look.width) ? look.width : 80;
  return [
    '',
    `${palette.cyan('──')} ${palette.bold(title)} ${palette.cyan('─'.repeat(Math.max(2, rule - measure(title) - 4)))}`,
  ];
}

export function describeEvent({ at, text }: DemoEvent, look: Look): string[] {
  const time = formatTime(at).slice(11);
  return flow([{ text: `${time}  `, style: look.palette.dim }, { text }], {
    width: look.width,
    first: '',
    rest: ' '.repeat(10),
  });
}

/** Nodes, pods that are not well, and URLs, as kubectl and a browser show them. */
export function describePicture(picture: DemoPicture, look: Look, { pods = true } = {}): string[] {
  return [
    '',
    ...describeNodes(picture, look),
    ...(pods && picture.pods.length > 0 ? ['', ...describePods(picture, look)] : []),
    ...(picture.urls.length > 0 ? ['', ...describeUrls(picture, look)] : []),
  ];
}

function describeNodes({ nodes }: DemoPicture, look: Look): string[] {
  const { palette } = look;
  return describeTable(
    ['NODE', 'STATUS', 'INTERNAL-IP', 'DOCKER HAS IT AT'],
    nodes.map(({ name, status, internalAddress, dockerAddress }) => [
      { text: name },
      { text: status, style: status === 'Ready' ? palette.green : palette.red },
      { text: internalAddress, ...(internalAddress === dockerAddress ? {} : { style: palette.red }) },
      { text: dockerAddress === '' ? 'nowhere' : dockerAddress },
    ]),
    look,
  );
}

function describePods({ pods }: DemoPicture, look: Look): string[] {
  const { palette } = look;
  return describeTable(
    ['POD', 'READY', 'STATUS', 'RESTARTS'],
    pods.map(({ namespace, name, ready, status, restarts }) => [
      { text: `${namespace}/${name}` },
      { text: ready },
      { text: status, style: palette.yellow },
      { text: String(restarts) },
    ]),
    look,
  );
}

function describeUrls({ urls }: DemoPicture, look: Look): string[] {
  const { palette } = look;
  return describeTable(
    ['URL', 'THE SIMULATED INGRESS ANSWERS'],
    urls.map(({ host, answer }) => [
      { text: `http://${host}` },
      { text: sayAnswer(answer), style: answer === 200 ? palette.green : palette.red },
    ]),
    look,
  );
}

function sayAnswer(answer: number | null): string {
  return answer === null ? 'connection refused' : String(answer);
}

export function describeAnswer(host: string, answer: number | null, milliseconds: number, look: Look): string[] {
  const mark = markOf(answer === 200 ? 'healthy' : 'degraded', look.palette);
  const time = look.palette.dim(`${formatDuration(milliseconds)} after the heal began`);
  return [`${mark.style(mark.symbol)} http://${host} ${sayAnswer(answer)} ${time}`];
}

interface Cell {
  readonly text: string;
  readonly style?: Style;
}

function describeTable(head: readonly string[], rows: readonly (readonly Cell[])[], look: Look): string[] {
  const widths = head.map((title, column) =>
    Math.max(measure(title), ...rows.map((row) => measure(row[column]?.text ?? ''))),
  );
  const draw = (cells: readonly Cell[]): string =>
    cells
      .map(({ text, style = String }, column) =>
        style(column === cells.length - 1 ? text : pad(text, widths[column] ?? 0)),
      )
      .join('  ');
  return [draw(head.map((text) => ({ text, style: look.palette.dim }))), ...rows.map(draw)].map((line) => `  ${line}`);
}

export interface DemoEnd {
  readonly after: DemoPicture;
  readonly remaining: readonly DemoRemainder[];
  readonly healMs: number;
  readonly wasHealed: boolean;
}

/** What came of it, what is left, and what to try next. */
export function describeDemoEnd({ after, remaining, healMs, wasHealed }: DemoEnd, look: Look): string[] {
  const { palette, width, program } = look;
  const ready = after.nodes.filter(({ status }) => status === 'Ready').length;
  const answering = after.urls.filter(({ answer }) => answer === 200).length;
  const mark = markOf(wasHealed ? 'healthy' : 'broken', palette);
  const urls = after.urls.length === 0 ? '' : `, ${answering} of ${count(after.urls.length, 'URL')} answer`;
  const lines = [
    '',
    ...flow(
      [
        { text: `${ready} of ${count(after.nodes.length, 'node')} Ready${urls}`, style: palette.bold },
        { text: `; heal took ${formatDuration(healMs)} in all` },
      ],
      { width, first: `${mark.style(mark.symbol)} ` },
    ),
  ];
  if (remaining.length > 0) lines.push('', ...describeRemaining(remaining, look));
  const next: readonly (readonly [string, string])[] = [
    [`${program} demo --keep`, 'leaves the broken cluster up, to try every command on it'],
    [`${program} demo --list`, 'other crashes'],
    [`${program} doctor`, 'the real thing: your own clusters; it changes nothing'],
  ];
  const widest = Math.max(...next.map(([command]) => measure(command)));
  lines.push('', palette.bold('Next'));
  for (const [command, purpose] of next) lines.push(`  ${palette.cyan(pad(command, widest))}  ${palette.dim(purpose)}`);
  lines.push('', palette.dim('The simulated engine and its runs are gone with this demo.'));
  return lines;
}

function describeRemaining(remaining: readonly DemoRemainder[], look: Look): string[] {
  const { palette, width } = look;
  const lines = flow(
    [
      { text: 'Not yet mended by this version', style: palette.bold },
      { text: ', which looks at nodes and control plane, and at no pods or kernel settings:' },
    ],
    { width, first: '' },
  );
  const mark = markOf('warning', palette);
  for (const { workload, pods, status, lastWords, beforeTheCrash } of remaining) {
    const old = beforeTheCrash ? ' (so before the crash)' : '';
    lines.push(
      ...flow([{ text: workload, style: palette.bold }, { text: `: ${count(pods, 'pod')} ${status}${old}` }], {
        width,
        first: `  ${mark.style(mark.symbol)} `,
        rest: '    ',
      }),
    );
    if (lastWords !== '') {
      lines.push(
        ...flow([{ text: lastWords, style: palette.dim }], {
          width,
          first: `    ${palette.dim('|')} `,
          rest: '      ',
        }),
      );
    }
  }
  return lines;
}

/** What would lead the programs elsewhere, whatever DOCKER_HOST and KUBECONFIG say. */
const misleadingVariables = [
  'DOCKER_CONTEXT',
  'DOCKER_TLS_VERIFY',
  'KIND_CLUSTER_NAME',
  'KIND_EXPERIMENTAL_DOCKER_NETWORK',
];

/** As it is where a shell takes it as one word. */
function quoteForShell(text: string): string {
  return /^[\w@%+=:,./-]*$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** How to look around in a world that stays up. */
export function describeKept(
  environment: Readonly<Record<string, string>>,
  own: Readonly<Record<string, string | undefined>>,
  look: Look,
): string[] {
  const { palette, program } = look;
  const names = ['DOCKER_HOST', 'KUBECONFIG', 'XDG_DATA_HOME'];
  const misleading = misleadingVariables.filter((name) => (own[name] ?? '') !== '');
  const commands = [
    ...(misleading.length === 0 ? [] : [`unset ${misleading.join(' ')}`]),
    ...names.map((name) => `export ${name}=${quoteForShell(environment[name] ?? '')}`),
  ];
  const tries = [`${program} doctor`, `${program} heal`, 'docker ps', 'kubectl get nodes', 'kubectl get pods -A'];
  return [
    '',
    `${palette.bold('It stays up.')} In another terminal:`,
    '',
    ...commands.map((command) => `  ${palette.cyan(command)}`),
    '',
    ...tries.map((command) => `  ${palette.cyan(command)}`),
    '',
    palette.dim('Ctrl-C ends it, and removes all of it.'),
  ];
}

export function describeDemoList({ scenarios }: DemoListDocument, look: Look): string[] {
  const { palette, width, program } = look;
  const widest = Math.max(...scenarios.map(({ name }) => measure(name)));
  return [
    ...scenarios.flatMap(({ name, title }) =>
      flow([{ text: title }], {
        width,
        first: `${palette.bold(pad(name, widest))}  `,
        rest: ' '.repeat(widest + 2),
      }),
    ),
    '',
    `${palette.bold('Next:')} ${palette.cyan(`${program} demo --scenario ${scenarios[1]?.name ?? ''}`)}`,
  ];
}
