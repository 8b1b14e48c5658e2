/** What is asked of the API server, read once. */

import { parse } from 'yaml';
import { isCollectionPath, parsePath, readAllQuery } from '../../../src/kube/paths.ts';
import type { SimClock } from '../clock.ts';
import type { ApiServerState, KubeObject } from '../contracts.ts';
import { ApiFailure } from './answers.ts';
import { isRecord, type JsonRecord } from './json.ts';
import { type ApiResource, findResource, nameResource } from './resources.ts';

export interface ApiRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: Buffer;
  /** Ends a request that would never be answered: it rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** What the API server needs beside its objects. */
export interface ApiSurroundings {
  readonly clock: SimClock;
  /** `v1.34.4` by default. */
  readonly version?: string;
  /** Lines of a container's log; undefined where its node does not answer. */
  readonly readLog?: (
    pod: KubeObject,
    options: { readonly container: string; readonly previous: boolean },
  ) => readonly string[] | undefined;
  /**
   * Whether a pod that is deleted is gone at once. By default where no kubelet is to stop it: it was never bound to a
   * node, or has ended. Else it gets a deletionTimestamp, and whoever plays its kubelet removes it.
   */
  readonly isPodGoneAtOnce?: (pod: KubeObject) => boolean;
  /** Called around waiting that is no work: for the clock, or for an etcd that does not answer. */
  readonly idle?: <T>(waiting: Promise<T>) => Promise<T>;
}

/** A request for objects: their place, and everything around it. */
export interface ObjectRequest {
  readonly server: ApiServerState;
  readonly surroundings: ApiSurroundings;
  readonly method: string;
  readonly query: URLSearchParams;
  readonly accept: string;
  readonly contentType: string;
  readonly body: Buffer;
  readonly resource: ApiResource;
  /** The resource's name in the store. */
  readonly stored: string;
  readonly namespace: string | undefined;
  /** Undefined for a collection. */
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

/** Undefined where the path names no resource that is served. */
export function readObjectRequest(
  server: ApiServerState,
  request: ApiRequest,
  surroundings: ApiSurroundings,
): ObjectRequest | undefined {
  const place = parsePath(request.path);
  if (place === undefined) return undefined;
  const resource = findResource(place.group, place.version, place.resource);
  if (resource === undefined) return undefined;
  if (place.namespace !== undefined && !resource.namespaced) return undefined;
  if (resource.namespaced && place.namespace === undefined && !isCollectionPath(request.path)) return undefined;
  if (place.subresource !== undefined && !resource.subresources.some((known) => known === place.subresource)) {
    return undefined;
  }
  return {
    server,
    surroundings,
    method: request.method,
    query: new URLSearchParams(readAllQuery(request.path)),
    accept: request.headers?.['accept'] ?? '',
    contentType: (request.headers?.['content-type'] ?? 'application/json').split(';')[0]?.trim() ?? '',
    body: request.body ?? Buffer.alloc(0),
    resource,
    stored: nameResource(resource),
    namespace: place.namespace,
    name: place.name,
    subresource: place.subresource,
  };
}

/** Throws an ApiFailure where the body is no JSON or YAML object. */
export function readBodyObject(request: ObjectRequest): JsonRecord {
  const value = readBodyValue(request);
  if (!isRecord(value)) throw new ApiFailure(400, 'BadRequest', 'the body of the request is no object');
  return value;
}

export function readBodyValue({ body, contentType }: ObjectRequest): unknown {
  if (contentType.includes('protobuf')) {
    throw new ApiFailure(
      415,
      'UnsupportedMediaType',
      'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml',
    );
  }
  const text = body.toString('utf8');
  try {
    return contentType.includes('yaml') ? (parse(text) as unknown) : (JSON.parse(text) as unknown);
  } catch {
    throw new ApiFailure(400, 'BadRequest', 'error decoding the body of the request: it is neither JSON nor YAML');
  }
}

/** True where nothing is to be changed in the end. */
export function isDryRun(request: ObjectRequest): boolean {
  return request.query.get('dryRun') === 'All';
}

export function failNotFound({ resource, name }: ObjectRequest): ApiFailure {
  return new ApiFailure(
    404,
    'NotFound',
    `${nameResource(resource)} "${name ?? ''}" not found`,
    detailsOf(resource, name),
  );
}

export function failConflict({ resource, name }: ObjectRequest, why: string): ApiFailure {
  return new ApiFailure(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${nameResource(resource)} "${name ?? ''}": ${why}`,
    detailsOf(resource, name),
  );
}

export function failMethod(): ApiFailure {
  return new ApiFailure(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});
}

export function detailsOf(resource: ApiResource, name: string | undefined): Readonly<Record<string, unknown>> {
  return {
    ...(name === undefined ? {} : { name }),
    ...(resource.group === '' ? {} : { group: resource.group }),
    kind: resource.plural,
  };
}
