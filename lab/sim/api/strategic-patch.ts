/** Strategic merge patch: as a merge patch, but some lists are merged by a key of their members. */

import { isRecord, type JsonRecord } from './json.ts';

/**
 * Lists by the name of their field, and the keys their members are known by, from the `patchMergeKey` tags of k8s.io/api.
 * Of several the one that the members have: ports are those of containers, or of services.
 */
const MERGE_KEYS: Readonly<Record<string, readonly string[]>> = {
  containers: ['name'],
  initContainers: ['name'],
  ephemeralContainers: ['name'],
  env: ['name'],
  ports: ['containerPort', 'port'],
  volumes: ['name'],
  volumeMounts: ['mountPath'],
  volumeDevices: ['devicePath'],
  conditions: ['type'],
  addresses: ['type'],
  ownerReferences: ['uid'],
  imagePullSecrets: ['name'],
  secrets: ['name'],
  hostAliases: ['ip'],
  podIPs: ['ip'],
  topologySpreadConstraints: ['topologyKey'],
  resourceClaims: ['name'],
  webhooks: ['name'],
};

/** Lists of plain values that are joined. */
const JOINED: ReadonlySet<string> = new Set(['finalizers', 'podCIDRs']);

const DELETE_FROM = '$deleteFromPrimitiveList/';
const ORDER = '$setElementOrder/';
const RETAIN = '$retainKeys';

export function applyStrategicPatch(document: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  if (patch['$patch'] === 'replace') return withoutDirectives(patch);
  if (patch['$patch'] === 'delete') return {};
  const merged: Record<string, unknown> = isRecord(document) ? { ...document } : {};
  const retained = patch[RETAIN];
  if (Array.isArray(retained)) {
    for (const key of Object.keys(merged)) if (!retained.includes(key)) delete merged[key];
  }
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith(DELETE_FROM)) {
      const field = key.slice(DELETE_FROM.length);
      const [old, gone] = [merged[field], value];
      if (Array.isArray(old) && Array.isArray(gone)) merged[field] = old.filter((member) => !gone.includes(member));
    } else if (key === RETAIN || key === '$patch' || key.startsWith(ORDER)) continue;
    else if (value === null) delete merged[key];
    else if (Array.isArray(value)) merged[key] = mergeList(key, merged[key], value);
    else merged[key] = applyStrategicPatch(merged[key], value);
  }
  return merged;
}

function mergeList(field: string, document: unknown, patch: readonly unknown[]): unknown[] {
  const old: readonly unknown[] = Array.isArray(document) ? document : [];
  if (JOINED.has(field)) return [...new Set([...old, ...patch])];
  const members = patch.filter(isRecord);
  if (members.some((member) => member['$patch'] === 'replace')) {
    return members.filter((member) => member['$patch'] === undefined);
  }
  const key = MERGE_KEYS[field]?.find((candidate) => members.every((member) => member[candidate] !== undefined));
  if (key === undefined) return [...patch];
  const merged = [...old];
  for (const member of members) {
    const at = merged.findIndex((other) => isRecord(other) && other[key] === member[key]);
    if (member['$patch'] === 'delete') {
      if (at >= 0) merged.splice(at, 1);
    } else if (at >= 0) merged[at] = applyStrategicPatch(merged[at], member);
    else merged.push(applyStrategicPatch({}, member));
  }
  return merged;
}

function withoutDirectives(patch: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(patch).filter(([key]) => !key.startsWith('$')));
}
