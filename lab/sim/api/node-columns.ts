import type { KubeObject } from '../contracts.ts';
import { dig, digList, digText } from './json.ts';

/** `Ready`, `NotReady`, `Unknown`; with `SchedulingDisabled` where it is cordoned. */
export function readNodeStatus({ spec, status }: KubeObject): string {
  const ready = digList(status, 'conditions').find((condition) => digText(condition, 'type') === 'Ready');
  const word = ready === undefined ? 'Unknown' : digText(ready, 'status') === 'True' ? 'Ready' : 'NotReady';
  return dig(spec, 'unschedulable') === true ? `${word},SchedulingDisabled` : word;
}

const ROLE = 'node-role.kubernetes.io/';

export function readNodeRoles({ metadata }: KubeObject): string {
  const labels = Object.entries(metadata.labels ?? {});
  const roles = labels.flatMap(([key, value]) => {
    if (key.startsWith(ROLE)) return key.slice(ROLE.length);
    return key === 'kubernetes.io/role' ? value : [];
  });
  return [...new Set(roles)].sort().join(',') || '<none>';
}
