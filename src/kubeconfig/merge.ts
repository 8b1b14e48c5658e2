/** Puts one kind cluster into a kubeconfig and leaves every other byte of it alone. */

import { isMap, isSeq, Scalar, isScalar, type ParsedNode, type YAMLMap } from 'yaml';
import {
  findPair,
  findValue,
  isNull,
  type KubeconfigDocument,
  type KubeconfigFailure,
  listItems,
  readDocument,
  readScalar,
  VALUE_KEYS,
} from './document.ts';
import { type Entry, formatScalar, renderFlow, renderItem, renderLines } from './render.ts';
import {
  appendInFlow,
  applyEdits,
  detectLineEnding,
  type Edit,
  findColumn,
  findEnd,
  findLineAfter,
  findLineEnd,
  insertAt,
} from './splice.ts';
import { isMergeOf } from './verify.ts';

export interface ClusterEntry {
  /** Name of the cluster, the user and the context: `kind-<cluster>`. */
  readonly name: string;
  readonly server: string;
  /** The three are PEM in base64, as in admin.conf. */
  readonly certificateAuthorityData: string;
  readonly clientCertificateData: string;
  readonly clientKeyData: string;
  /** Make it the current context where none is set; true by default. One that is set is never changed. */
  readonly setCurrentContext?: boolean;
}

export type MergedText = { readonly ok: true; readonly text: string; readonly changed: boolean } | KubeconfigFailure;

/**
 * Adds or renews our cluster, user and context. Of an entry of ours only the values that differ are replaced, so that a
 * `namespace` or a comment stays. `undefined` is a file that does not exist. The result is read again and compared; where
 * it would not be the same kubeconfig plus our entry, the answer is a failure and never a text.
 */
export function mergeCluster(text: string | undefined, entry: ClusterEntry): MergedText {
  const before = text ?? '';
  const document = readDocument(before);
  if (!document.ok) return document;
  const entries = listEntries(entry);
  const setCurrent = entry.setCurrentContext !== false;
  const after = applyEdits(before, planEdits(document, entries, setCurrent));
  if (after === before) return { ok: true, text: before, changed: false };
  const result = readDocument(after);
  if (result.ok && isMergeOf(document.value, result.value, entries, setCurrent)) {
    return { ok: true, text: after, changed: true };
  }
  return document.failAt(
    0,
    'The kubeconfig uses YAML in a way that cannot be changed without touching other entries (an anchor, for example). Use `kind export kubeconfig` on it.',
  );
}

function listEntries(entry: ClusterEntry): Entry[] {
  const { name } = entry;
  return [
    {
      section: 'clusters',
      name,
      values: { 'certificate-authority-data': entry.certificateAuthorityData, server: entry.server },
    },
    { section: 'contexts', name, values: { cluster: name, user: name } },
    {
      section: 'users',
      name,
      values: { 'client-certificate-data': entry.clientCertificateData, 'client-key-data': entry.clientKeyData },
    },
  ];
}

/** Fields that would overrule or contradict ours; an entry that has one is written anew. */
const CONFLICTS: Readonly<Record<Entry['section'], readonly string[]>> = {
  clusters: ['certificate-authority', 'insecure-skip-tls-verify', 'tls-server-name', 'proxy-url'],
  contexts: [],
  users: [
    'client-certificate',
    'client-key',
    'token',
    'tokenFile',
    'username',
    'password',
    'exec',
    'auth-provider',
    'as',
    'as-uid',
    'as-groups',
    'as-user-extra',
  ],
};

function planEdits(document: KubeconfigDocument, entries: readonly Entry[], setCurrent: boolean): Edit[] {
  const { root, text, contents } = document;
  const current = setCurrent ? entries[0]?.name : undefined;
  const newLine = detectLineEnding(text);
  if (root === undefined || root.items.length === 0) return [writeAll(text, contents, entries, current, newLine)];
  const edits: Edit[] = [];
  const missing: { readonly key: string; readonly lines: readonly string[]; readonly flow: string }[] = [];
  for (const entry of entries) {
    const { section } = entry;
    if (findPair(root, section) === undefined) {
      missing.push({ key: section, lines: [`${section}:`, ...renderItem(entry, '')], flow: `[${renderFlow(entry)}]` });
      continue;
    }
    const ours = listItems(root, section).filter((item) => readScalar(item, 'name') === entry.name);
    if (ours.length > 0) edits.push(...ours.flatMap((item) => updateItem(text, root, item, entry, newLine)));
    else edits.push(...appendItem(text, root, entry, newLine));
  }
  if (current !== undefined && readScalar(root, 'current-context') === '') {
    const value = findValue(root, 'current-context');
    if (value !== undefined) edits.push(replaceValue(text, value, current, root.flow === true));
    else {
      const lines = [`current-context: ${formatScalar(current)}`];
      missing.push({ key: 'current-context', lines, flow: JSON.stringify(current) });
    }
  }
  if (missing.length === 0) return edits;
  if (root.flow === true) {
    const pairs = missing.map(({ key, flow }) => `${JSON.stringify(key)}: ${flow}`);
    return [...edits, appendInFlow(root, text, pairs.join(', '))];
  }
  const column = findColumn(text, root.range[0]);
  const lines = missing.flatMap((section) => section.lines).map((line) => ' '.repeat(column) + line);
  const place = findLineAfter(text, findEnd(root, text), column);
  return [...edits, insertAt(place, lines.map((line) => newLine + line).join(''))];
}

/** A whole kubeconfig for a file that holds none; comments and a document's start stay before it. */
function writeAll(
  text: string,
  contents: ParsedNode | null,
  entries: readonly Entry[],
  current: string | undefined,
  newLine: string,
): Edit {
  const sections = entries.flatMap((entry) => [`${entry.section}:`, ...renderItem(entry, '')]);
  const currentContext = current === undefined ? [] : [`current-context: ${formatScalar(current)}`];
  const lines = ['apiVersion: v1', 'kind: Config', ...sections, ...currentContext];
  const all = lines.join(newLine);
  if (contents !== null && contents.range[1] > contents.range[0]) {
    return { start: contents.range[0], end: contents.range[1], text: all };
  }
  return insertAt(text.length, (text === '' || text.endsWith('\n') ? '' : newLine) + all + newLine);
}

function updateItem(text: string, root: YAMLMap.Parsed, item: YAMLMap.Parsed, entry: Entry, newLine: string): Edit[] {
  const values = findValue(item, VALUE_KEYS[entry.section]);
  const conflicts = CONFLICTS[entry.section];
  if (!isMap(values) || values.items.length === 0 || conflicts.some((key) => findPair(values, key) !== undefined)) {
    return [rewriteItem(text, item, entry, newLine)];
  }
  const edits: Edit[] = [];
  const added: [string, string][] = [];
  for (const [key, wanted] of Object.entries(entry.values)) {
    const pair = findPair(values, key);
    if (pair === undefined) added.push([key, wanted]);
    else if (pair.value === null) return [rewriteItem(text, item, entry, newLine)];
    else if (!isScalar(pair.value) || pair.value.value !== wanted) {
      edits.push(replaceValue(text, pair.value, wanted, root.flow === true));
    }
  }
  if (added.length === 0) return edits;
  if (values.flow === true) {
    const pairs = added.map(([key, wanted]) => `${JSON.stringify(key)}: ${JSON.stringify(wanted)}`);
    return [...edits, appendInFlow(values, text, pairs.join(', '))];
  }
  const column = findColumn(text, values.range[0]);
  const lines = added.map(([key, wanted]) => `${newLine}${' '.repeat(column)}${key}: ${formatScalar(wanted)}`);
  return [...edits, insertAt(findLineAfter(text, findEnd(values, text), column), lines.join(''))];
}

function rewriteItem(text: string, item: YAMLMap.Parsed, entry: Entry, newLine: string): Edit {
  const start = item.range[0];
  if (item.flow === true) return { start, end: item.range[1], text: renderFlow(entry) };
  const indent = ' '.repeat(findColumn(text, start));
  return { start, end: findEnd(item, text), text: renderLines(entry).join(newLine + indent) };
}

function appendItem(text: string, root: YAMLMap.Parsed, entry: Entry, newLine: string): Edit[] {
  const pair = findPair(root, entry.section);
  const section = pair?.value;
  if (pair === undefined || section === undefined || section === null) return [];
  if (isSeq(section) && section.flow !== true) {
    const column = findColumn(text, section.range[0]);
    const lines = renderItem(entry, ' '.repeat(column)).map((line) => newLine + line);
    return [insertAt(findLineAfter(text, findEnd(section, text), column), lines.join(''))];
  }
  const [start, end] = section.range;
  if (root.flow === true && isNull(section)) return [{ start, end, text: `[${renderFlow(entry)}]` }];
  const isEmpty = isNull(section) || /^\[\s*\]$/.test(text.slice(start, end));
  if (root.flow === true || !isEmpty) return isSeq(section) ? [appendInFlow(section, text, renderFlow(entry))] : [];
  const indent = ' '.repeat(findColumn(text, root.range[0]));
  const lines = renderItem(entry, indent).map((line) => newLine + line);
  const lineEnd = findLineEnd(text, end);
  return [removeValue(text, start, end, lineEnd), insertAt(lineEnd, lines.join(''))];
}

/** `null` or `[]`, with the blanks before it where nothing follows on the line. */
function removeValue(text: string, start: number, end: number, lineEnd: number): Edit {
  const blanks = text.slice(end, lineEnd).trim() === '' ? (/[ \t]*$/.exec(text.slice(0, start))?.[0].length ?? 0) : 0;
  return { start: start - blanks, end, text: '' };
}

function replaceValue(text: string, value: ParsedNode, wanted: string, asJson: boolean): Edit {
  const isQuoted = isScalar(value) && (value.type === Scalar.QUOTE_DOUBLE || value.type === Scalar.QUOTE_SINGLE);
  const written = asJson || isQuoted ? JSON.stringify(wanted) : formatScalar(wanted);
  const start = value.range[0];
  const end = findEnd(value, text);
  return { start, end, text: start === end && /\S/.test(text[start - 1] ?? '') ? ` ${written}` : written };
}
