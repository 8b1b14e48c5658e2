import type { ExplainDocument } from '../documents.ts';
import { flow } from '../text/flow.ts';
import { type Look, markOf } from './look.ts';
import { describeMarkdown } from './markdown.ts';

export function describeExplanation(document: ExplainDocument, look: Look): string[] {
  const { palette, width } = look;
  const mark = markOf(document.severity, palette);
  const lines = flow(
    [
      { text: document.id, style: palette.bold },
      { text: ` (${document.severity}, layer ${document.layer})`, style: palette.dim },
    ],
    { width, first: `${mark.style(mark.symbol)} `, rest: '  ' },
  );
  lines.push(
    ...flow([{ text: 'When all is well: ', style: palette.dim }, { text: document.title }], { width, first: '  ' }),
  );
  if (document.recorded !== null) lines.push(...describeRecorded(document.recorded, look));
  const section = (title: string, body: readonly string[]): void => {
    if (body.some((line) => line !== '')) lines.push('', `  ${palette.bold(title)}`, ...body);
  };
  section('What it means', describeMarkdown(document.meaning, '  ', look));
  section('How it is established', describeMarkdown(document.established, '  ', look));
  section('What heal does', describeMarkdown(document.done, '  ', look));
  section('By hand', describeMarkdown(document.byHand, '  ', look));
  if (document.page !== '') lines.push('', `  ${palette.dim('More:')} ${document.page}`);
  return lines;
}

function describeRecorded(recorded: NonNullable<ExplainDocument['recorded']>, look: Look): string[] {
  const { palette, width } = look;
  const { cluster, gatheredAt, findings, steps } = recorded;
  const lines = ['', `  ${palette.bold(`In the recording of ${cluster} (${gatheredAt})`)}`];
  if (findings.length === 0) return [...lines, '  It is not found there.'];
  for (const { subject, summary, severity, evidence } of findings) {
    const mark = markOf(severity, palette);
    lines.push(
      ...flow([{ text: subject === '' ? summary : `${subject}: ${summary}` }], {
        width,
        first: `  ${mark.style(mark.symbol)} `,
        rest: '    ',
      }),
      ...evidence.flatMap((text) => flow([{ text, style: palette.dim }], { width, first: '    ', rest: '      ' })),
    );
  }
  const bullet = markOf('note', palette);
  if (steps.length > 0) lines.push('  heal would:');
  return [
    ...lines,
    ...steps.flatMap((text) =>
      flow([{ text }], { width, first: `    ${bullet.style(bullet.symbol)} `, rest: '      ' }),
    ),
  ];
}
