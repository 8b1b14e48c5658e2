export type Style = (text: string) => string;

export interface Span {
  readonly text: string;
  readonly style?: Style | undefined;
}

export interface Layout {
  readonly width: number;
  /** Before the first line, and before the others (`first` as blanks where it is left out). */
  readonly first: string;
  readonly rest?: string;
}

type Word = readonly Span[];

/**
 * Fills lines with words, styles kept. Words are never broken, so that paths and commands can be copied;
 * one that is longer than the line stands alone and sticks out.
 */
export function flow(spans: readonly Span[], layout: Layout): string[] {
  const rest = layout.rest ?? ' '.repeat(measure(layout.first));
  const lines: string[] = [];
  let words: Word[] = [];
  let used = measure(layout.first);
  for (const word of splitWords(spans)) {
    const length = word.reduce((sum, span) => sum + measure(span.text), 0);
    if (words.length > 0 && used + 1 + length > layout.width) {
      lines.push((lines.length === 0 ? layout.first : rest) + joinWords(words));
      words = [];
      used = measure(rest);
    }
    used += (words.length > 0 ? 1 : 0) + length;
    words.push(word);
  }
  lines.push((lines.length === 0 ? layout.first : rest) + joinWords(words));
  return lines;
}

function splitWords(spans: readonly Span[]): Word[] {
  const words: Span[][] = [];
  let glue = false;
  for (const span of spans) {
    if (span.text === '') continue;
    const pieces = span.text.split(/\s+/);
    const startsApart = /^\s/.test(span.text);
    pieces.filter(Boolean).forEach((text, index) => {
      const previous = words.at(-1);
      if (index === 0 && glue && !startsApart && previous !== undefined) previous.push({ text, style: span.style });
      else words.push([{ text, style: span.style }]);
    });
    glue = !/\s$/.test(span.text);
  }
  return words;
}

/** Neighbours of one style share one pair of escape sequences. */
function joinWords(words: readonly Word[]): string {
  const merged: { text: string; style: Style | undefined }[] = [];
  const append = (text: string, style: Style | undefined, apart: boolean): void => {
    const previous = merged.at(-1);
    if (previous !== undefined && previous.style === style) previous.text += (apart ? ' ' : '') + text;
    else {
      if (apart) merged.push({ text: ' ', style: undefined });
      merged.push({ text, style });
    }
  };
  words.forEach((word, wordIndex) => {
    word.forEach((span, spanIndex) => append(span.text, span.style, wordIndex > 0 && spanIndex === 0));
  });
  return merged.map(({ text, style }) => (style === undefined ? text : style(text))).join('');
}

/** One line of at most `width` columns. */
export function truncate(text: string, width: number): string {
  const characters = Array.from(text);
  return characters.length <= width ? text : `${characters.slice(0, Math.max(0, width - 1)).join('')}…`;
}

export function measure(text: string): number {
  return Array.from(text).length;
}

export function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - measure(text)));
}
