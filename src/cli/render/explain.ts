import type { ExplainDocument } from '../documents.ts';
import { flow } from '../text/flow.ts';
import { type Look, markOf } from './look.ts';
import { describeCommands } from './plan.ts';

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
  const section = (title: string, paragraphs: readonly string[], first = '  ', rest = first): void => {
    if (paragraphs.every((paragraph) => paragraph.trim() === '')) return;
    lines.push('', `  ${palette.bold(title)}`);
    for (const paragraph of paragraphs) lines.push(...flow([{ text: paragraph }], { width, first, rest }));
  };
  section('What it means', [document.meaning]);
  section('How it is established', [document.established]);
  section('What rekindle does', document.done, `  ${palette.dim('•')} `, '    ');
  if (document.byHand.length > 0) {
    lines.push('', `  ${palette.bold('By hand')}`, ...describeCommands(document.byHand, '    ', palette));
  }
  if (document.page !== '') lines.push('', `  ${palette.dim('More:')} ${document.page}`);
  return lines;
}
