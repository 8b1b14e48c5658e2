import { isDeepStrictEqual } from 'node:util';
import { isRecord, SECTIONS, VALUE_KEYS } from './document.ts';
import type { Entry } from './render.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Whether `after` says the same as `before`, our entries apart, and says what our entries want. */
export function isMergeOf(before: Fields, after: Fields, entries: readonly Entry[], setCurrent: boolean): boolean {
  const name = entries[0]?.name ?? '';
  const isForeignSame = SECTIONS.every((section) =>
    isDeepStrictEqual(listForeign(before[section], name), listForeign(after[section], name)),
  );
  if (!isForeignSame) return false;
  const current = before['current-context'];
  const isUnset = current === undefined || current === null || current === '';
  if (
    isUnset && setCurrent ? after['current-context'] !== name : !isDeepStrictEqual(current, after['current-context'])
  ) {
    return false;
  }
  const isEmpty = Object.keys(before).length === 0;
  if (!isEmpty && !isDeepStrictEqual(omitOurs(before), omitOurs(after))) return false;
  return entries.every((entry) => hasEntry(before, after, entry));
}

function hasEntry(before: Fields, after: Fields, entry: Entry): boolean {
  const found = listOurs(after[entry.section], entry.name);
  const old = listOurs(before[entry.section], entry.name);
  if (found.length !== Math.max(1, old.length)) return false;
  return found.every((item, index) => {
    const values = item[VALUE_KEYS[entry.section]];
    if (!isRecord(values)) return false;
    if (!Object.entries(entry.values).every(([key, value]) => values[key] === value)) return false;
    if (entry.section !== 'contexts') return true;
    const oldValues = old[index]?.[VALUE_KEYS.contexts];
    const kept = isRecord(oldValues) ? oldValues : {};
    return isDeepStrictEqual({ ...kept, ...entry.values }, values);
  });
}

function listForeign(section: unknown, name: string): unknown[] {
  return Array.isArray(section) ? section.filter((item) => !isRecord(item) || item['name'] !== name) : [];
}

function listOurs(section: unknown, name: string): Fields[] {
  return Array.isArray(section) ? section.filter(isRecord).filter((item) => item['name'] === name) : [];
}

function omitOurs(fields: Fields): Fields {
  const { clusters: _clusters, contexts: _contexts, users: _users, 'current-context': _current, ...rest } = fields;
  return rest;
}
