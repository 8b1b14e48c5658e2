/** Changes to a YAML text by the places of its nodes: what is not named in an edit keeps its bytes. */

import { isCollection, isMap, isScalar, isSeq, type ParsedNode, Scalar, type YAMLMap, type YAMLSeq } from 'yaml';

export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Edits must not overlap; those at one place are applied in the order given. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  const ordered = edits
    .map((edit, index) => ({ ...edit, index }))
    .sort((a, b) => a.start - b.start || a.index - b.index);
  let result = '';
  let position = 0;
  for (const edit of ordered) {
    result += text.slice(position, edit.start) + edit.text;
    position = edit.end;
  }
  return result + text.slice(position);
}

/** The line ending of the text's first line; `\n` where it has none. */
export function detectLineEnding(text: string): '\n' | '\r\n' {
  return /^[^\n]*\r\n/.test(text) ? '\r\n' : '\n';
}

/** Where the last value inside a node ends; trailing comments, and the line's end, come after it. */
export function findEnd(node: ParsedNode, text: string): number {
  if (isCollection(node) && node.flow !== true) {
    const last = node.items.at(-1);
    if (isMap(node)) {
      const pair = node.items.at(-1);
      if (pair !== undefined) return findEnd(pair.value ?? pair.key, text);
    } else if (isSeq(node) && last !== undefined) {
      return findEnd(last as ParsedNode, text);
    }
  }
  const end = node.range[1];
  const isBlock = isScalar(node) && (node.type === Scalar.BLOCK_FOLDED || node.type === Scalar.BLOCK_LITERAL);
  return isBlock ? end - (/\r?\n$/.exec(text.slice(0, end))?.[0].length ?? 0) : end;
}

/**
 * Where lines may be put after a block node that is indented by `column`: at the end of its last line, and of the comment
 * lines that follow and are indented deeper, for those are about what stands above them.
 */
export function findLineAfter(text: string, offset: number, column: number): number {
  let position = findLineEnd(text, offset);
  for (;;) {
    const next = /^\r?\n([ \t]*)#[^\n]*/.exec(text.slice(position));
    if (next === null || (next[1] ?? '').length <= column) return position;
    position = findLineEnd(text, position + next[0].length - 1);
  }
}

export function findLineEnd(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  if (end === -1) return text.length;
  return end > offset && text[end - 1] === '\r' ? end - 1 : end;
}

export function findColumn(text: string, offset: number): number {
  return offset - (text.lastIndexOf('\n', offset - 1) + 1);
}

/** Adds an element at the end of `[…]` or `{…}`, behind a trailing comma if there is one. */
export function appendInFlow(collection: YAMLMap.Parsed | YAMLSeq.Parsed, text: string, element: string): Edit {
  const last = collection.items.at(-1);
  if (last === undefined) return insertAt(collection.range[0] + 1, element);
  const end = isMap(collection) ? findPairEnd(last as YAMLMap.Parsed['items'][number]) : (last as ParsedNode).range[1];
  const comma = /^(?:\s|#[^\n]*\n)*,/.exec(text.slice(end, collection.range[1]));
  return comma === null ? insertAt(end, `, ${element}`) : insertAt(end + comma[0].length, ` ${element}`);
}

export function insertAt(offset: number, text: string): Edit {
  return { start: offset, end: offset, text };
}

function findPairEnd(pair: YAMLMap.Parsed['items'][number]): number {
  return (pair.value ?? pair.key).range[1];
}
