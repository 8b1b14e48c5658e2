/** JSON patch (RFC 6902) and JSON merge patch (RFC 7386). Nothing given is changed. */

import { isEqualJson, isRecord } from './json.ts';

/** The patch does not fit the document. */
export class PatchError extends Error {}

type Parent = unknown[] | Record<string, unknown>;

export function applyJsonPatch(document: unknown, patch: unknown): unknown {
  if (!Array.isArray(patch)) throw new PatchError('a JSON patch is a list of operations');
  const root = { document: structuredClone(document) };
  for (const operation of patch) applyOperation(root, operation);
  return root.document;
}

export function applyMergePatch(document: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const merged: Record<string, unknown> = isRecord(document) ? { ...document } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else merged[key] = applyMergePatch(merged[key], value);
  }
  return merged;
}

function applyOperation(root: { document: unknown }, operation: unknown): void {
  if (!isRecord(operation) || typeof operation['op'] !== 'string' || typeof operation['path'] !== 'string') {
    throw new PatchError('an operation of a JSON patch has an op and a path');
  }
  const { op, path, value, from } = operation;
  const source = typeof from === 'string' ? from : '';
  if (op === 'add') add(root, path, structuredClone(value));
  else if (op === 'remove') remove(root, path);
  else if (op === 'replace') replace(root, path, structuredClone(value));
  else if (op === 'copy') add(root, path, structuredClone(read(root, source)));
  else if (op === 'move') {
    const moved = read(root, source);
    remove(root, source);
    add(root, path, moved);
  } else if (op === 'test') {
    if (!isEqualJson(read(root, path) ?? null, value ?? null)) {
      throw new PatchError(`testing value ${path} failed: test failed`);
    }
  } else throw new PatchError(`unexpected kind: ${op}`);
}

function add(root: { document: unknown }, path: string, value: unknown): void {
  const { parent, key } = locate(root, path);
  if (!Array.isArray(parent)) {
    parent[key] = value;
    return;
  }
  const index = key === '-' ? parent.length : readIndex(key, path);
  if (index > parent.length) throw new PatchError(`add operation does not apply: index ${key} is out of bounds`);
  parent.splice(index, 0, value);
}

function replace(root: { document: unknown }, path: string, value: unknown): void {
  const { parent, key } = locateExisting(root, path, 'replace');
  if (Array.isArray(parent)) parent[readIndex(key, path)] = value;
  else parent[key] = value;
}

function remove(root: { document: unknown }, path: string): void {
  const { parent, key } = locateExisting(root, path, 'remove');
  if (Array.isArray(parent)) parent.splice(readIndex(key, path), 1);
  else delete parent[key];
}

/** Undefined where the last part is missing; a test against null is true of that. */
function read(root: { document: unknown }, path: string): unknown {
  const { parent, key } = locate(root, path);
  return Array.isArray(parent) ? parent[readIndex(key, path)] : parent[key];
}

function locateExisting(root: { document: unknown }, path: string, verb: string): { parent: Parent; key: string } {
  const place = locate(root, path);
  const exists = Array.isArray(place.parent)
    ? readIndex(place.key, path) < place.parent.length
    : Object.hasOwn(place.parent, place.key);
  if (exists) return place;
  throw new PatchError(`${verb} operation does not apply: doc is missing key: ${path}: missing value`);
}

/** The root is a member of its holder, so that it is replaced like everything else. */
function locate(root: { document: unknown }, path: string): { parent: Parent; key: string } {
  if (path !== '' && !path.startsWith('/')) throw new PatchError(`"${path}" is no JSON pointer`);
  const parts = ['document', ...path.split('/').slice(1).map(unescapePart)];
  const key = parts.pop() ?? '';
  let current: unknown = root;
  for (const part of parts) {
    current = Array.isArray(current) ? current[readIndex(part, path)] : isRecord(current) ? current[part] : undefined;
    if (typeof current !== 'object' || current === null) {
      throw new PatchError(`the path does not exist: doc is missing path: "${path}": missing value`);
    }
  }
  return { parent: current as Parent, key };
}

function readIndex(key: string, path: string): number {
  if (!/^(0|[1-9]\d*)$/.test(key)) throw new PatchError(`"${key}" in "${path}" is no index of a list`);
  return Number(key);
}

function unescapePart(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}
