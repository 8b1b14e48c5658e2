/** POST, PUT and PATCH, on objects and on their subresources. */

import type { KubeObject } from '../contracts.ts';
import { ApiFailure } from './answers.ts';
import { isFinished } from './deletion.ts';
import { dig, digNumber, digText, isRecord, type JsonRecord } from './json.ts';
import { applyJsonPatch, applyMergePatch, PatchError } from './json-patch.ts';
import {
  detailsOf,
  failConflict,
  failNotFound,
  isDryRun,
  type ObjectRequest,
  readBodyObject,
  readBodyValue,
} from './request.ts';
import { nameGroupVersion, nameResource } from './resources.ts';
import { applyStrategicPatch } from './strategic-patch.ts';

export function createObject(request: ObjectRequest): KubeObject {
  const { server, resource, stored, namespace } = request;
  const body = readBodyObject(request);
  const metadata = isRecord(body['metadata']) ? body['metadata'] : {};
  const { store } = server;
  if (namespace !== undefined && store.get('namespaces', undefined, namespace) === undefined) {
    throw new ApiFailure(404, 'NotFound', `namespaces "${namespace}" not found`, {
      name: namespace,
      kind: 'namespaces',
    });
  }
  const name = digText(metadata, 'name');
  if (name === '' && digText(metadata, 'generateName') === '') {
    throw new ApiFailure(
      422,
      'Invalid',
      `${resource.kind} "" is invalid: metadata.name: Required value: name or generateName is required`,
      detailsOf(resource, undefined),
    );
  }
  if (store.get(stored, namespace, name) !== undefined) {
    throw new ApiFailure(
      409,
      'AlreadyExists',
      `${nameResource(resource)} "${name}" already exists`,
      detailsOf(resource, name),
    );
  }
  const { uid: _uid, creationTimestamp: _time, resourceVersion: _version, ...ownMetadata } = metadata;
  const { status, ...rest } = body;
  const object = {
    ...rest,
    apiVersion: nameGroupVersion(resource),
    kind: resource.kind,
    metadata: { ...ownMetadata, name, ...(namespace === undefined ? {} : { namespace }) },
    ...makeFirstStatus(request, status),
  } as KubeObject;
  return isDryRun(request) ? object : store.create(stored, object);
}

export function replaceObject(request: ObjectRequest): unknown {
  const old = readCurrent(request);
  if (request.subresource === 'scale') return scaleObject(request, old, readBodyObject(request));
  return writeObject(request, old, readBodyObject(request));
}

export function patchObject(request: ObjectRequest): unknown {
  const isApply = request.contentType === 'application/apply-patch+yaml';
  const { server, stored, namespace, name = '' } = request;
  if (isApply && server.store.get(stored, namespace, name) === undefined) return createObject(request);
  const old = readCurrent(request);
  const patched = applyPatch(request, request.subresource === 'scale' ? describeScale(old) : old);
  if (!isRecord(patched)) throw new ApiFailure(400, 'BadRequest', 'the patch leaves no object');
  return request.subresource === 'scale' ? scaleObject(request, old, patched) : writeObject(request, old, patched);
}

/** The Scale document of a Deployment, StatefulSet or ReplicaSet. */
export function describeScale(object: KubeObject): JsonRecord {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const labels = dig(object.spec, 'selector', 'matchLabels');
  const selector = isRecord(labels) ? Object.entries(labels).map(([key, value]) => `${key}=${String(value)}`) : [];
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { replicas: readReplicas(object) },
    status: { replicas: digNumber(object.status, 'replicas'), selector: selector.join(',') },
  };
}

function readReplicas(object: KubeObject): number {
  const replicas = dig(object.spec, 'replicas');
  return typeof replicas === 'number' ? replicas : 1;
}

function scaleObject(request: ObjectRequest, old: KubeObject, scale: JsonRecord): JsonRecord {
  const replicas = digNumber(scale, 'spec', 'replicas');
  const scaled = { ...old, spec: { ...(old.spec as object | undefined), replicas } };
  return describeScale(isDryRun(request) ? scaled : request.server.store.update(request.stored, scaled));
}

function readCurrent(request: ObjectRequest): KubeObject {
  const { server, stored, namespace, name = '' } = request;
  const object = server.store.get(stored, namespace, name);
  if (object === undefined) throw failNotFound(request);
  return object;
}

/** By the main path the status stays; by /status nothing else changes but labels and annotations. */
function writeObject(request: ObjectRequest, old: KubeObject, wanted: JsonRecord): KubeObject {
  const { server, resource, stored } = request;
  const metadata = isRecord(wanted['metadata']) ? wanted['metadata'] : {};
  const version = digText(metadata, 'resourceVersion');
  if (version !== '' && version !== old.metadata.resourceVersion) {
    throw failConflict(
      request,
      'the object has been modified; please apply your changes to the latest version and try again',
    );
  }
  if (digText(metadata, 'name') !== '' && digText(metadata, 'name') !== old.metadata.name) {
    throw new ApiFailure(
      400,
      'BadRequest',
      `the name of the object (${digText(metadata, 'name')}) does not match the name on the URL (${old.metadata.name})`,
    );
  }
  const { name, namespace, uid, creationTimestamp, deletionTimestamp } = old.metadata;
  const fixed = { name, namespace, uid, creationTimestamp, deletionTimestamp };
  const keepsStatus = request.subresource !== 'status' && resource.subresources.includes('status');
  const next = {
    ...(request.subresource === 'status' ? { ...old, status: wanted['status'] } : wanted),
    ...(keepsStatus ? { status: old.status } : {}),
    apiVersion: old.apiVersion,
    kind: old.kind,
    metadata: {
      ...(request.subresource === 'status' ? old.metadata : {}),
      ...metadata,
      deletionGracePeriodSeconds: old.metadata['deletionGracePeriodSeconds'],
      ...fixed,
    },
  } as unknown as KubeObject;
  if (isDryRun(request)) return next;
  const written = server.store.update(stored, next);
  if (isFinished(written)) server.store.remove(stored, namespace, name);
  return written;
}

function applyPatch(request: ObjectRequest, document: unknown): unknown {
  const patch = readBodyValue(request);
  switch (request.contentType) {
    case 'application/json-patch+json':
      return applyJsonPatchOrFail(request, document, patch);
    case 'application/merge-patch+json':
      return applyMergePatch(document, patch);
    case 'application/strategic-merge-patch+json':
    case 'application/apply-patch+yaml':
      return applyStrategicPatch(document, patch);
    default:
      throw new ApiFailure(
        415,
        'UnsupportedMediaType',
        'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json, application/apply-patch+yaml',
      );
  }
}

function applyJsonPatchOrFail(request: ObjectRequest, document: unknown, patch: unknown): unknown {
  try {
    return applyJsonPatch(document, patch);
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    throw new ApiFailure(422, 'Invalid', 'the server rejected our request due to an error in our request', {
      ...detailsOf(request.resource, request.name),
      causes: [{ reason: 'UnexpectedServerResponse', message: error.message }],
    });
  }
}

function makeFirstStatus(request: ObjectRequest, given: unknown): { readonly status?: unknown } {
  if (!request.resource.subresources.includes('status')) return given === undefined ? {} : { status: given };
  if (request.stored === 'pods') return { status: { phase: 'Pending', qosClass: 'BestEffort' } };
  if (request.stored === 'namespaces') return { status: { phase: 'Active' } };
  return { status: {} };
}
