import { flow, type Span } from '../text/flow.ts';
import type { Look } from './look.ts';

/** The little Markdown of our own pages: paragraphs, list items, fenced code, and code inside a sentence. */
export function describeMarkdown(text: string, indent: string, look: Look): string[] {
  const lines: string[] = [];
  let paragraph = '';
  let fenced = false;
  const flush = (): void => {
    if (paragraph !== '') lines.push(...fill(paragraph, indent, look));
    paragraph = '';
  };
  for (const line of text.split('\n')) {
    if (line.trimStart().startsWith('```')) {
      flush();
      fenced = !fenced;
    } else if (fenced) lines.push(`${indent}  ${look.palette.cyan(line)}`);
    else if (line.trim() === '') {
      flush();
      if (lines.length > 0 && lines.at(-1) !== '') lines.push('');
    } else {
      if (isItem(line)) flush();
      paragraph += `${paragraph === '' ? '' : ' '}${line.trim()}`;
    }
  }
  flush();
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

function isItem(line: string): boolean {
  return /^\s*(?:[-*]|\d+\.)\s/.test(line);
}

function fill(paragraph: string, indent: string, look: Look): string[] {
  const { palette, width } = look;
  const item = /^(?:[-*]|(\d+\.))\s+/.exec(paragraph);
  const mark = item === null ? '' : `${item[1] ?? '•'} `;
  const spans: Span[] = paragraph
    .slice(item?.[0].length ?? 0)
    .split(/(`[^`]+`)/)
    .map((text) => (/^`.+`$/.test(text) ? { text, style: palette.cyan } : { text: text.replaceAll('**', '') }));
  return flow(spans, { width, first: indent + mark, rest: indent + ' '.repeat(mark.length) });
}
