import type { RunsDocument } from '../documents.ts';
import { formatDuration } from '../text/duration.ts';
import { flow, measure, pad } from '../text/flow.ts';
import { count, formatTime } from '../text/words.ts';
import { type Look, markOf, type Palette } from './look.ts';

type Summary = RunsDocument['runs'][number];
type Detail = NonNullable<RunsDocument['detail']>;

export function describeRuns(document: RunsDocument, look: Look): string[] {
  const { runs, detail } = document;
  const [run] = runs;
  if (run === undefined) {
    return [
      `${look.palette.dim('•')} No runs yet: ${look.program} heal makes one ${look.palette.dim(`(${document.directory})`)}`,
    ];
  }
  return detail === null ? describeList(runs, look) : describeRun(run, detail, look);
}

function describeList(runs: readonly Summary[], look: Look): string[] {
  const { palette } = look;
  const rows = runs.map((run) => [
    run.id,
    formatTime(run.startedAt),
    run.cluster,
    nameCommand(run),
    nameResult(run),
    count(run.stepsDone, 'step'),
  ]);
  const header = ['RUN', 'STARTED', 'CLUSTER', 'COMMAND', 'RESULT', 'DONE'];
  const widths = header.map((title, column) =>
    Math.max(measure(title), ...rows.map((row) => measure(row[column] ?? ''))),
  );
  const draw = (row: readonly string[]): string =>
    row
      .map((cell, column) => pad(cell, widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [
    palette.dim(draw(header)),
    ...rows.map(draw),
    '',
    `${palette.bold('Next:')} ${palette.cyan(`${look.program} runs ${runs[0]?.id ?? 'RUN'}`)}`,
  ];
}

function nameCommand(run: Summary): string {
  return run.undoes === null ? run.command : `undo ${run.undoes}`;
}

function nameResult(run: Summary): string {
  return run.state === 'ended' ? (run.verdict ?? 'ended') : run.state;
}

function describeRun(run: Summary, detail: Detail, look: Look): string[] {
  const { palette } = look;
  const took = detail.millisecondsToReady === null ? '' : ` in ${formatDuration(detail.millisecondsToReady)}`;
  const lines = [
    ...flow(
      [
        { text: run.id, style: palette.bold },
        { text: ` ${nameCommand(run)} on ${run.cluster}, ${formatTime(run.startedAt)}: ${nameResult(run)}${took}` },
      ],
      { width: look.width, first: '' },
    ),
    '',
  ];
  for (const step of detail.steps) {
    const mark = markOfStep(step.result, palette);
    lines.push(
      ...flow([{ text: step.title }, { text: step.note === '' ? '' : ` ${step.note}`, style: palette.dim }], {
        width: look.width,
        first: `  ${mark.style(mark.symbol)} `,
        rest: '    ',
      }),
    );
  }
  if (detail.steps.length === 0) lines.push(`  ${palette.dim('no step was begun')}`);
  for (const { node, file, bytes } of detail.snapshots)
    lines.push(`  ${palette.dim('•')} etcd snapshot of ${node}: ${file} ${palette.dim(`(${bytes} bytes)`)}`);
  for (const { node, path, summary, diff } of detail.changes) {
    const name = node === null ? path : `${node}:${path}`;
    lines.push('', `${palette.bold(name)} ${palette.dim(summary)}`);
    if (diff !== null)
      lines.push(
        ...diff
          .trimEnd()
          .split('\n')
          .map((line) => colourDiffLine(line, palette)),
      );
  }
  if (run.command === 'heal' && detail.steps.length > 0)
    lines.push('', `${palette.bold('Undo:')} ${palette.cyan(`${look.program} undo ${run.id}`)}`);
  return lines;
}

function markOfStep(result: Detail['steps'][number]['result'], palette: Palette) {
  switch (result) {
    case 'done':
      return markOf('healthy', palette);
    case 'failed':
      return markOf('error', palette);
    case 'skipped':
      return markOf('note', palette);
    case 'started':
      return markOf('unknown', palette);
  }
}

function colourDiffLine(line: string, palette: Palette): string {
  if (line.startsWith('+++') || line.startsWith('---')) return palette.dim(line);
  if (line.startsWith('+')) return palette.green(line);
  if (line.startsWith('-')) return palette.red(line);
  return line.startsWith('@@') ? palette.cyan(line) : line;
}
