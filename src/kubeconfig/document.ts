/** A kubeconfig as a YAML tree with the places of its parts, so that a change touches nothing but its own bytes. */

import { isAlias, isMap, isScalar, isSeq, LineCounter, type ParsedNode, parseDocument, type YAMLMap } from 'yaml';

export interface KubeconfigFailure {
  readonly ok: false;
  /** Never quotes the file, which holds secrets. */
  readonly message: string;
  /** Both count from 1. */
  readonly line: number;
  readonly column: number;
}

export type Section = 'clusters' | 'contexts' | 'users';
export const SECTIONS: readonly Section[] = ['clusters', 'contexts', 'users'];

/** The key under which an item of each section keeps its values. */
export const VALUE_KEYS = { clusters: 'cluster', contexts: 'context', users: 'user' } as const;

export interface KubeconfigDocument {
  readonly ok: true;
  readonly text: string;
  /** Undefined for a file without contents: empty, comments only, `null`. */
  readonly root: YAMLMap.Parsed | undefined;
  readonly contents: ParsedNode | null;
  readonly value: Readonly<Record<string, unknown>>;
  failAt(offset: number, message: string): KubeconfigFailure;
}

/** Reads and checks the shape: a map, whose sections are lists of maps or absent. Unknown fields are let through. */
export function readDocument(text: string): KubeconfigDocument | KubeconfigFailure {
  const lines = new LineCounter();
  const failAt = (offset: number, message: string): KubeconfigFailure => {
    const { line, col } = lines.linePos(offset);
    return { ok: false, message, line: Math.max(1, line), column: Math.max(1, col) };
  };
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: 'error' });
  const [error] = document.errors;
  if (error !== undefined) return failAt(error.pos[0], `This is not valid YAML: ${withoutSource(error.message)}.`);
  const { contents } = document;
  if (contents === null || (isScalar(contents) && contents.value === null)) {
    return { ok: true, text, root: undefined, contents, value: {}, failAt };
  }
  if (!isMap(contents)) return failAt(contents.range[0], 'This is not a kubeconfig: it is no map of fields.');
  const misshapen = findMisshapen(contents);
  if (misshapen !== undefined) return failAt(misshapen.offset, misshapen.message);
  let value: unknown;
  try {
    value = document.toJS();
  } catch {
    return failAt(0, 'This is not a kubeconfig: its YAML aliases cannot be resolved.');
  }
  return { ok: true, text, root: contents, contents, value: isRecord(value) ? value : {}, failAt };
}

export function findPair(map: YAMLMap.Parsed, key: string): YAMLMap.Parsed['items'][number] | undefined {
  return map.items.find((pair) => isScalar(pair.key) && pair.key.value === key);
}

export function findValue(map: YAMLMap.Parsed, key: string): ParsedNode | undefined {
  return findPair(map, key)?.value ?? undefined;
}

/** The maps of a section, in the file's order. */
export function listItems(root: YAMLMap.Parsed, section: Section): YAMLMap.Parsed[] {
  const value = findValue(root, section);
  return isSeq(value) ? value.items.filter((item) => isMap(item)) : [];
}

/** The first item of that name. */
export function findItem(root: YAMLMap.Parsed, section: Section, name: string): YAMLMap.Parsed | undefined {
  return listItems(root, section).find((item) => readScalar(item, 'name') === name);
}

/** A scalar as text; empty where it is missing, null, or no plain value. */
export function readScalar(map: YAMLMap.Parsed, key: string): string {
  const value = findValue(map, key);
  const scalar: unknown = isScalar(value) ? value.value : undefined;
  return typeof scalar === 'string' || typeof scalar === 'number' ? String(scalar) : '';
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function findMisshapen(root: YAMLMap.Parsed): { readonly offset: number; readonly message: string } | undefined {
  for (const section of SECTIONS) {
    const value = findValue(root, section);
    if (value === undefined || isNull(value)) continue;
    if (!isSeq(value)) return { offset: value.range[0], message: `"${section}" is not a list, as a kubeconfig's is.` };
    const wrong = value.items.find((item) => !isMap(item) && !isNull(item) && !isAlias(item));
    if (wrong !== undefined) return { offset: wrong.range[0], message: `An item of "${section}" is not a map.` };
  }
  const current = findValue(root, 'current-context');
  if (current === undefined || isScalar(current)) return undefined;
  return { offset: current.range[0], message: '"current-context" is not a text.' };
}

export function isNull(node: ParsedNode): boolean {
  return isScalar(node) && node.value === null;
}

/** Some of the parser's messages end with the text they stumbled over. */
function withoutSource(message: string): string {
  return message.replace(/: ".*$/s, '').replace(/\.$/, '');
}
