/** API paths: built with every segment percent-encoded, and taken apart again. */

import { KubeError } from './port.ts';

export interface ResourcePath {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** Plural, such as `pods`. */
  readonly resource: string;
  readonly namespace?: string;
  /** Absent for a collection. */
  readonly name?: string;
  readonly subresource?: string;
}

export type Query = Readonly<Record<string, string | undefined>>;

/** Throws a KubeError for a segment that no API object can have (empty, `.` or `..`). */
export function buildPath(path: ResourcePath, query: Query = {}): string {
  const root = path.group === '' ? ['api', path.version] : ['apis', path.group, path.version];
  const namespace = path.namespace === undefined ? [] : ['namespaces', path.namespace];
  const name = path.name === undefined ? [] : [path.name];
  const subresource = path.subresource === undefined ? [] : [path.subresource];
  const segments = [...root, ...namespace, path.resource, ...name, ...subresource];
  return withQuery(`/${segments.map(encodeSegment).join('/')}`, query);
}

/** Undefined for what names no resource: `/readyz`, `/version`, discovery, proxied paths. */
export function parsePath(path: string): ResourcePath | undefined {
  const segments = splitSegments(path);
  if (segments === undefined) return undefined;
  const [root, ...rest] = segments;
  if (root === 'api') return parseResource('', rest);
  if (root === 'apis' && rest[0] !== undefined) return parseResource(rest[0], rest.slice(1));
  return undefined;
}

/** True for the collections that the server can answer in pages. */
export function isCollectionPath(path: string): boolean {
  const parsed = parsePath(path);
  return parsed !== undefined && parsed.name === undefined;
}

/** The path with these query parameters set; `undefined` removes one. Others stay. */
export function withQuery(path: string, query: Query): string {
  const [pathname = '', text = ''] = splitOnce(path, '?');
  const parameters = new URLSearchParams(text);
  for (const [key, value] of Object.entries(query)) {
    if (value === undefined) parameters.delete(key);
    else parameters.set(key, value);
  }
  const joined = parameters.toString();
  return joined === '' ? pathname : `${pathname}?${joined}`;
}

export function readQuery(path: string, key: string): string | undefined {
  return new URLSearchParams(splitOnce(path, '?')[1] ?? '').get(key) ?? undefined;
}

/** Of parameters given more than once the last value. */
export function readAllQuery(path: string): Readonly<Record<string, string>> {
  return Object.fromEntries(new URLSearchParams(splitOnce(path, '?')[1] ?? ''));
}

/** The API server takes these two for subresources of a namespace, and never for resources in one. */
const NAMESPACE_SUBRESOURCES: ReadonlySet<string> = new Set(['status', 'finalize']);

function parseResource(group: string, segments: readonly string[]): ResourcePath | undefined {
  const [version, ...rest] = segments;
  if (version === undefined || rest[0] === undefined) return undefined;
  const [first, namespace, resource] = rest;
  if (first === 'namespaces' && namespace !== undefined && resource !== undefined) {
    if (!NAMESPACE_SUBRESOURCES.has(resource)) return finishResource({ group, version, namespace }, rest.slice(2));
  }
  return finishResource({ group, version }, rest);
}

function finishResource(
  base: Pick<ResourcePath, 'group' | 'version' | 'namespace'>,
  segments: readonly string[],
): ResourcePath | undefined {
  const [resource, name, subresource] = segments;
  if (resource === undefined || segments.length > 3) return undefined;
  return {
    ...base,
    resource,
    ...(name === undefined ? {} : { name }),
    ...(subresource === undefined ? {} : { subresource }),
  };
}

function splitSegments(path: string): string[] | undefined {
  const [pathname = ''] = splitOnce(path, '?');
  if (!pathname.startsWith('/')) return undefined;
  const segments = pathname.slice(1).split('/');
  if (segments.at(-1) === '') segments.pop();
  if (segments.includes('')) return undefined;
  try {
    return segments.map((segment) => decodeURIComponent(segment));
  } catch {
    return undefined;
  }
}

function encodeSegment(segment: string): string {
  if (segment === '' || segment === '.' || segment === '..') {
    throw new KubeError('failed', `"${segment}" cannot be part of an API path. This is a fault of the caller.`);
  }
  return encodeURIComponent(segment);
}

function splitOnce(text: string, separator: string): string[] {
  const at = text.indexOf(separator);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
