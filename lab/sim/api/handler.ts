/** The API server's answers, over its objects. No connection is involved: commands in a node ask here as well. */

import type { ApiServerState, KubeObject } from '../contracts.ts';
import {
  type ApiAnswer,
  ApiFailure,
  answerFailure,
  answerJson,
  answerText,
  answerUnknownPath,
  type WholeAnswer,
} from './answers.ts';
import { deleteObject, deleteObjects, evictPod } from './deletion.ts';
import { describeApi, describeVersion } from './discovery.ts';
import { answerHealth, isHealthPath, isSlowHealth } from './health.ts';
import { digList, digText } from './json.ts';
import { describeOpenApi } from './openapi.ts';
import { listObjects, wrapList } from './reads.ts';
import {
  type ApiRequest,
  type ApiSurroundings,
  failMethod,
  failNotFound,
  type ObjectRequest,
  readObjectRequest,
} from './request.ts';
import { chooseRendering, makeTable, withMetadataOnly } from './tables.ts';
import { watchObjects } from './watches.ts';
import { createObject, describeScale, patchObject, replaceObject } from './writes.ts';

/** How long the server's check of etcd waits, in milliseconds. */
const HEALTH_TIMEOUT_MS = 2000;

/**
 * Answers a request of somebody who may do everything. Failures are answers too; it rejects only with the reason of
 * the request's signal, which is the only end of what needs an etcd that is lost.
 */
export async function handleApiRequest(
  server: ApiServerState,
  request: ApiRequest,
  surroundings: ApiSurroundings,
): Promise<ApiAnswer> {
  const idle = surroundings.idle ?? ((waiting) => waiting);
  const url = new URL(request.path, 'https://kubernetes');
  if (isHealthPath(url.pathname)) {
    if (isSlowHealth(server, url.searchParams)) await idle(waitFor(surroundings, HEALTH_TIMEOUT_MS, request.signal));
    return answerHealth(server, url.pathname, url.searchParams);
  }
  if (url.pathname === '/version') return answerJson(200, describeVersion(surroundings.version ?? 'v1.34.4'));
  const discovered = describeApi(url.pathname) ?? describeOpenApi(url.pathname);
  if (discovered !== undefined) return answerJson(200, discovered);
  const asked = readObjectRequest(server, request, surroundings);
  if (asked === undefined) return answerUnknownPath();
  if (server.etcd === 'lost' && needsEtcd(asked)) await idle(waitForever(request.signal));
  try {
    return answerObjects(asked);
  } catch (error) {
    if (error instanceof ApiFailure) return answerFailure(error);
    throw error;
  }
}

/** Lists and watches come from the server's cache, as does an object where any revision will do. */
function needsEtcd({ method, name, query }: ObjectRequest): boolean {
  return method !== 'GET' || (name !== undefined && query.get('resourceVersion') !== '0' && !isWatch(query));
}

function isWatch(query: URLSearchParams): boolean {
  return ['1', 'true'].includes(query.get('watch') ?? '');
}

function answerObjects(request: ObjectRequest): ApiAnswer {
  const { method, name, query, subresource } = request;
  if (subresource === 'log') return answerLog(request);
  if (subresource === 'eviction') {
    if (method !== 'POST') throw failMethod();
    return answerJson(201, evictPod(request));
  }
  switch (method) {
    case 'GET':
      if (isWatch(query)) return answerWatch(request);
      return name === undefined ? answerList(request) : answerObject(request);
    case 'POST':
      if (name !== undefined) throw failMethod();
      return answerRendered(request, 201, createObject(request));
    case 'PUT':
    case 'PATCH':
      if (name === undefined) throw failMethod();
      return answerRendered(request, 200, method === 'PUT' ? replaceObject(request) : patchObject(request));
    case 'DELETE':
      return name === undefined ? answerDeleted(request) : answerJson(200, deleteObject(request));
    default:
      throw failMethod();
  }
}

function answerObject(request: ObjectRequest): WholeAnswer {
  const object = readObject(request);
  return answerRendered(request, 200, request.subresource === 'scale' ? describeScale(object) : object);
}

function readObject(request: ObjectRequest): KubeObject {
  const object = request.server.store.get(request.stored, request.namespace, request.name ?? '');
  if (object === undefined) throw failNotFound(request);
  return object;
}

/** Scales and the like are no members of the collection, so they are never drawn as its rows. */
function answerRendered(request: ObjectRequest, status: number, document: unknown): WholeAnswer {
  const isMember = digText(document, 'kind') === request.resource.kind;
  const rendering = isMember ? chooseRendering(request.accept) : 'whole';
  const object = document as KubeObject;
  if (rendering === 'whole') return answerJson(status, document);
  if (rendering === 'metadata') return answerJson(status, withMetadataOnly(object));
  return answerJson(status, makeTable(request, [object], { resourceVersion: object.metadata.resourceVersion }));
}

function answerList(request: ObjectRequest): WholeAnswer {
  const result = listObjects(request);
  const rendering = chooseRendering(request.accept);
  if (rendering === 'table') return answerJson(200, makeTable(request, result.items, result.metadata));
  if (rendering === 'whole') return answerJson(200, wrapList(request, result));
  const items = result.items.map(withMetadataOnly);
  return answerJson(200, {
    kind: 'PartialObjectMetadataList',
    apiVersion: 'meta.k8s.io/v1',
    metadata: result.metadata,
    items,
  });
}

function answerWatch(request: ObjectRequest): ApiAnswer {
  const rendering = chooseRendering(request.accept);
  let isFirst = true;
  return watchObjects(request, (object) => {
    if (rendering === 'whole') return object;
    if (rendering === 'metadata') return withMetadataOnly(object);
    const table = makeTable(request, [object], { resourceVersion: object.metadata.resourceVersion }, isFirst);
    isFirst = false;
    return table;
  });
}

function answerDeleted(request: ObjectRequest): WholeAnswer {
  const result = listObjects(request);
  deleteObjects(request, result.items);
  return answerJson(200, wrapList(request, result));
}

function answerLog(request: ObjectRequest): WholeAnswer {
  const { query, name = '', namespace = '' } = request;
  const pod = readObject(request);
  const names = digList(pod.spec, 'containers').map((container) => digText(container, 'name'));
  const container = query.get('container') ?? names[0] ?? '';
  if (!names.includes(container)) {
    throw new ApiFailure(400, 'BadRequest', `container ${container} is not valid for pod ${name}`);
  }
  const previous = query.get('previous') === 'true';
  const lines = request.surroundings.readLog?.(pod, { container, previous });
  if (lines === undefined) {
    const node = digText(pod.spec, 'nodeName');
    const path = `/containerLogs/${namespace}/${name}/${container}`;
    throw new ApiFailure(500, 'InternalError', `Get "https://${node}:10250${path}": the kubelet does not answer`);
  }
  const tail = Number(query.get('tailLines') ?? lines.length);
  const shown = tail > 0 ? lines.slice(-tail) : [];
  return answerText(200, shown.map((line) => `${line}\n`).join(''));
}

function waitForever(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_resolve, reject) => rejectOnAbort(signal, reject));
}

function waitFor({ clock }: ApiSurroundings, milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = clock.schedule(milliseconds, resolve);
    rejectOnAbort(signal, (reason) => {
      cancel();
      reject(reason);
    });
  });
}

function rejectOnAbort(signal: AbortSignal | undefined, reject: (reason: Error) => void): void {
  if (signal === undefined) return;
  const fail = () => reject(signal.reason as Error);
  if (signal.aborted) fail();
  else signal.addEventListener('abort', fail, { once: true });
}
