/** Lists, in pages and of earlier revisions. */

import type { KubeObject, ObjectStore } from '../contracts.ts';
import { ApiFailure } from './answers.ts';
import { isRecord } from './json.ts';
import type { ObjectRequest } from './request.ts';
import { nameGroupVersion } from './resources.ts';
import { parseSelectors, type Selector } from './selectors.ts';
import type { StoredEvent } from './store.ts';

export interface ListResult {
  readonly items: readonly KubeObject[];
  readonly metadata: {
    readonly resourceVersion: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
}

/** Throws an ApiFailure: 400 for parameters that cannot be read, 410 for a revision that is forgotten. */
export function listObjects(request: ObjectRequest): ListResult {
  const { server, stored, query, namespace } = request;
  const selector = parseSelectors(request.resource, query);
  const token = query.get('continue') ?? '';
  const asked = query.get('resourceVersion') ?? '';
  const position = token === '' ? undefined : readToken(token, asked);
  const revision = position?.revision ?? chooseRevision(server.store, query, asked);
  const all = listAt(server.store, stored, namespace, revision);
  // With resourceVersion=0 the real server answers from its cache, and its cache knows no pages.
  const limit = asked === '0' ? 0 : readLimit(query);
  const rest = position === undefined ? all : all.slice(findAfter(all, position.after));
  const { page, next } = cutPage(rest, selector, limit);
  const remaining = rest.length - next;
  const resourceVersion = String(revision);
  const last = rest[next - 1];
  if (remaining === 0 || last === undefined) return { items: page, metadata: { resourceVersion } };
  return {
    items: page,
    metadata: {
      resourceVersion,
      continue: makeToken(revision, keyOf(last)),
      ...(selector === undefined ? { remainingItemCount: remaining } : {}),
    },
  };
}

export function wrapList(request: ObjectRequest, result: ListResult): unknown {
  return {
    kind: `${request.resource.kind}List`,
    apiVersion: nameGroupVersion(request.resource),
    metadata: result.metadata,
    items: result.items.map(withoutType),
  };
}

/** The members of a list do not repeat what the list says of itself. */
function withoutType({ apiVersion: _version, kind: _kind, ...object }: KubeObject): object {
  return object;
}

/** At most `limit` selected objects, and how many were looked at for them. */
function cutPage(
  objects: readonly KubeObject[],
  selector: Selector | undefined,
  limit: number,
): { readonly page: readonly KubeObject[]; readonly next: number } {
  if (limit === 0) {
    return { page: selector === undefined ? objects : objects.filter(selector), next: objects.length };
  }
  const page: KubeObject[] = [];
  let next = 0;
  for (; next < objects.length && page.length < limit; next++) {
    const object = objects[next];
    if (object !== undefined && (selector === undefined || selector(object))) page.push(object);
  }
  // What follows may hold nothing that is selected; the real server looks no further either.
  return { page, next };
}

/** The list as it was: the present one with everything taken back that has happened since. */
function listAt(
  store: ObjectStore,
  resource: string,
  namespace: string | undefined,
  revision: number,
): readonly KubeObject[] {
  const present = store.list(resource, namespace);
  if (revision === store.revision) return present;
  const events: StoredEvent[] = [];
  try {
    store.watch(resource, revision, (event) => events.push(event as StoredEvent))();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ApiFailure(
      410,
      'Expired',
      'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter.',
    );
  }
  const changed = events.filter(({ object }) => namespace === undefined || object.metadata.namespace === namespace);
  if (changed.length === 0) return present;
  const objects = new Map(present.map((object) => [keyOf(object), object]));
  for (const { object, previous } of changed.toReversed()) {
    if (previous === undefined) objects.delete(keyOf(object));
    else objects.set(keyOf(previous), previous);
  }
  const sorted = [...objects].sort(([left], [right]) => (left < right ? -1 : 1));
  return sorted.map(([, object]) => object);
}

function chooseRevision(store: ObjectStore, query: URLSearchParams, asked: string): number {
  if (asked === '' || asked === '0') return store.revision;
  const wanted = readRevision(asked);
  if (wanted > store.revision) {
    throw new ApiFailure(504, 'Timeout', `Too large resource version: ${wanted}, current: ${store.revision}`, {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    });
  }
  return query.get('resourceVersionMatch') === 'Exact' ? wanted : store.revision;
}

/** Throws an ApiFailure where the text is no revision. */
export function readRevision(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new ApiFailure(
    400,
    'BadRequest',
    `resourceVersion: Invalid value: "${text}": strconv.ParseUint: invalid syntax`,
  );
}

function readLimit(query: URLSearchParams): number {
  const limit = Number(query.get('limit') ?? '0');
  return Number.isInteger(limit) && limit > 0 ? limit : 0;
}

function makeToken(revision: number, after: string): string {
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: revision, start: after })).toString('base64url');
}

function readToken(token: string, asked: string): { readonly revision: number; readonly after: string } {
  if (asked !== '' && asked !== '0') {
    throw new ApiFailure(400, 'BadRequest', 'specifying resource version is not allowed when using continue');
  }
  try {
    const value: unknown = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'));
    if (isRecord(value) && typeof value['rv'] === 'number' && typeof value['start'] === 'string') {
      return { revision: value['rv'], after: value['start'] };
    }
  } catch {
    // Answered below, like a token of another shape.
  }
  throw new ApiFailure(
    400,
    'BadRequest',
    'continue key is not valid: encoded continue token is not of the expected form',
  );
}

function findAfter(objects: readonly KubeObject[], after: string): number {
  const at = objects.findIndex((object) => keyOf(object) > after);
  return at === -1 ? objects.length : at;
}

export function keyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`;
}
