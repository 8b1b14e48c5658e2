/** Kubeconfig entries as YAML text, in the order and style of kind and kubectl. */

import { VALUE_KEYS, type Section } from './document.ts';

export interface Entry {
  readonly section: Section;
  readonly name: string;
  readonly values: Readonly<Record<string, string>>;
}

/** The fields in alphabetical order, as kubectl writes them; one string for each line, not indented as a whole. */
export function renderLines(entry: Entry): string[] {
  const key = VALUE_KEYS[entry.section];
  const values = [
    `${key}:`,
    ...Object.entries(entry.values).map(([field, value]) => `  ${field}: ${formatScalar(value)}`),
  ];
  const name = `name: ${formatScalar(entry.name)}`;
  return key < 'name' ? [...values, name] : [name, ...values];
}

/** The same on one line, as JSON, for flow sequences. */
export function renderFlow(entry: Entry): string {
  return JSON.stringify({ [VALUE_KEYS[entry.section]]: entry.values, name: entry.name });
}

/** An item of a block sequence, the dash included. */
export function renderItem(entry: Entry, indent: string): string[] {
  return renderLines(entry).map((line, index) => `${indent}${index === 0 ? '- ' : '  '}${line}`);
}

/** Plain where every YAML reader takes it for that text (names, URLs, base64), quoted elsewhere. */
export function formatScalar(text: string): string {
  const plain = /^[A-Za-z][A-Za-z0-9+/=._@-]*(?::[A-Za-z0-9+/=._@-]+)*$/.test(text) && !RESERVED.test(text);
  return plain ? text : JSON.stringify(text);
}

/** Words that YAML 1.1 or 1.2 take for booleans or null. */
const RESERVED = /^(?:y|n|yes|no|on|off|true|false|null)$/i;
