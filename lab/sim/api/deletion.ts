/** What DELETE does: at once, or by a deletionTimestamp that somebody else acts on. */

import type { KubeObject } from '../contracts.ts';
import { ApiFailure } from './answers.ts';
import { dig, digList, digNumber, digText, type JsonRecord } from './json.ts';
import { detailsOf, failConflict, failNotFound, isDryRun, type ObjectRequest, readBodyObject } from './request.ts';
import { formatTime } from './store.ts';

/** Answers the object that stays for now, or a Status that says it is gone; as the real server does. */
export function deleteObject(request: ObjectRequest): unknown {
  const { server, stored, namespace, name = '' } = request;
  const object = server.store.get(stored, namespace, name);
  if (object === undefined) throw failNotFound(request);
  const options = readOptions(request);
  checkPreconditions(request, object, options);
  if (isDryRun(request)) return describeGone(request, object);
  return removeObject(request, object, options) ?? describeGone(request, object);
}

export function deleteObjects(request: ObjectRequest, objects: readonly KubeObject[]): void {
  const options = readOptions(request);
  if (isDryRun(request)) return;
  for (const object of objects) {
    const current = request.server.store.get(request.stored, object.metadata.namespace, object.metadata.name);
    if (current !== undefined) removeObject(request, current, options);
  }
}

/** An object whose deletion was asked for goes with its last finalizer, unless a kubelet has yet to stop it. */
export function isFinished(object: KubeObject): boolean {
  if (object.metadata.deletionTimestamp === undefined || isHeld(object)) return false;
  return digNumber(object.metadata, 'deletionGracePeriodSeconds') === 0;
}

/** Undefined where it is gone. */
function removeObject(request: ObjectRequest, object: KubeObject, options: JsonRecord): KubeObject | undefined {
  const { server, surroundings, stored } = request;
  const grace = chooseGrace(request, object, options);
  const { namespace, name, deletionTimestamp } = object.metadata;
  if (grace === 0 && !isHeld(object)) {
    server.store.remove(stored, namespace, name);
    return undefined;
  }
  // Asked for once more: only a shorter grace changes anything.
  if (deletionTimestamp !== undefined && grace >= digNumber(object.metadata, 'deletionGracePeriodSeconds')) {
    return object;
  }
  const isNamespace = stored === 'namespaces';
  return server.store.update(stored, {
    ...object,
    metadata: {
      ...object.metadata,
      deletionTimestamp: formatTime(surroundings.clock.now() + grace * 1000),
      deletionGracePeriodSeconds: grace,
    },
    ...(isNamespace ? { status: { ...(object.status as object | undefined), phase: 'Terminating' } } : {}),
  });
}

/** Seconds. Only pods are given time. */
function chooseGrace(request: ObjectRequest, object: KubeObject, options: JsonRecord): number {
  if (request.stored !== 'pods') return 0;
  const asked = request.query.get('gracePeriodSeconds') ?? options['gracePeriodSeconds'];
  if (asked !== undefined && asked !== null) return Math.max(0, Number(asked));
  const isGoneAtOnce = request.surroundings.isPodGoneAtOnce ?? hasNoKubelet;
  if (isGoneAtOnce(object)) return 0;
  const own = dig(object.spec, 'terminationGracePeriodSeconds');
  return typeof own === 'number' ? own : 30;
}

function hasNoKubelet(pod: KubeObject): boolean {
  const phase = digText(pod.status, 'phase');
  return digText(pod.spec, 'nodeName') === '' || phase === 'Succeeded' || phase === 'Failed';
}

function isHeld(object: KubeObject): boolean {
  return (object.metadata.finalizers ?? []).length > 0 || digList(object.spec, 'finalizers').length > 0;
}

function readOptions(request: ObjectRequest): JsonRecord {
  return request.body.length === 0 ? {} : readBodyObject(request);
}

function checkPreconditions(request: ObjectRequest, object: KubeObject, options: JsonRecord): void {
  const { uid = '', resourceVersion = '' } = object.metadata;
  const wantedUid = digText(options, 'preconditions', 'uid');
  if (wantedUid !== '' && wantedUid !== uid) {
    throw failConflict(request, `Precondition failed: UID in precondition: ${wantedUid}, UID in object meta: ${uid}`);
  }
  const wantedVersion = digText(options, 'preconditions', 'resourceVersion');
  if (wantedVersion !== '' && wantedVersion !== resourceVersion) {
    throw failConflict(
      request,
      `Precondition failed: ResourceVersion in precondition: ${wantedVersion}, ResourceVersion in object meta: ${resourceVersion}`,
    );
  }
}

function describeGone(request: ObjectRequest, object: KubeObject): unknown {
  if (request.stored === 'pods') return object;
  const details = { ...detailsOf(request.resource, request.name), uid: object.metadata.uid };
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
}

/** An eviction is a deletion that a disruption budget may forbid; there are none here. */
export function evictPod(request: ObjectRequest): unknown {
  const { server, namespace, name = '' } = request;
  const pod = server.store.get('pods', namespace, name);
  if (pod === undefined) throw failNotFound(request);
  const options = dig(readBodyObject(request), 'deleteOptions');
  if (options !== undefined && typeof options !== 'object') {
    throw new ApiFailure(400, 'BadRequest', 'deleteOptions of an eviction is an object');
  }
  if (!isDryRun(request)) removeObject(request, pod, (options ?? {}) as JsonRecord);
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
}
