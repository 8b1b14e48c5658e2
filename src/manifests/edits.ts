export interface TextEdit {
  readonly from: string;
  readonly to: string;
}

export type EditResult =
  | { readonly kind: 'changed'; readonly text: string }
  /** Every edit is made already. */
  | { readonly kind: 'unchanged' }
  /** The text has neither what an edit replaces nor what it would put there: not the file the plan was made for. */
  | { readonly kind: 'mismatch'; readonly missing: string };

/**
 * Replaces exact pieces of text, all of them at their places in the original text, so that one edit never meets what
 * another put in. A piece that is part of a longer word or address (`172.18.0.3` in `172.18.0.30`) is left alone.
 */
export function applyEdits(text: string, edits: readonly TextEdit[]): EditResult {
  const places: { start: number; end: number; to: string }[] = [];
  for (const { from, to } of edits) {
    const starts = findWhole(text, from);
    if (starts.length === 0 && findWhole(text, to).length === 0) return { kind: 'mismatch', missing: from };
    for (const start of starts) places.push({ start, end: start + from.length, to });
  }
  places.sort((left, right) => left.start - right.start || right.end - left.end);
  let result = '';
  let at = 0;
  for (const place of places) {
    // An edit inside a longer one has nothing of its own left to replace.
    if (place.start < at) continue;
    result += text.slice(at, place.start) + place.to;
    at = place.end;
  }
  result += text.slice(at);
  return result === text ? { kind: 'unchanged' } : { kind: 'changed', text: result };
}

function findWhole(text: string, piece: string): number[] {
  const starts: number[] = [];
  if (piece === '') return starts;
  for (let start = text.indexOf(piece); start !== -1; start = text.indexOf(piece, start + 1)) {
    const before = text[start - 1] ?? ' ';
    const after = text[start + piece.length] ?? ' ';
    const startsInside = isWordLike(before) && isWordLike(piece[0] ?? ' ');
    const endsInside = isWordLike(after) && isWordLike(piece.at(-1) ?? ' ');
    if (!startsInside && !endsInside) starts.push(start);
  }
  return starts;
}

function isWordLike(character: string): boolean {
  return /[\w.]/.test(character);
}
