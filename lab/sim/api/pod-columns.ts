/** What `kubectl get pods` says of a pod: `printPod` of k8s.io/kubernetes, for pods as a cluster has them here. */

import type { KubeObject } from '../contracts.ts';
import { formatAge } from './duration.ts';
import { dig, digList, digNumber, digText } from './json.ts';

export function readPodReady({ spec, status }: KubeObject): string {
  const ready = digList(status, 'containerStatuses').filter(
    (container) => dig(container, 'ready') === true && dig(container, 'state', 'running') !== undefined,
  );
  return `${ready.length}/${digList(spec, 'containers').length}`;
}

/** `6 (14s ago)` where a container was restarted. */
export function readPodRestarts({ status }: KubeObject, now: number): string {
  const containers = digList(status, 'containerStatuses');
  const restarts = containers.reduce<number>((sum, container) => sum + digNumber(container, 'restartCount'), 0);
  const ended = containers.map((container) => digText(container, 'lastState', 'terminated', 'finishedAt')).sort();
  const last = ended.at(-1) ?? '';
  return restarts === 0 || last === '' ? String(restarts) : `${restarts} (${formatAge(last, now)} ago)`;
}

export function readPodStatus(pod: KubeObject): string {
  const { metadata, status } = pod;
  const reason = readInitReason(pod) ?? readReason(pod);
  if (metadata.deletionTimestamp === undefined) return reason;
  return digText(status, 'reason') === 'NodeLost' ? 'Unknown' : 'Terminating';
}

function readReason({ status }: KubeObject): string {
  let reason = digText(status, 'reason') || digText(status, 'phase');
  let hasRunning = false;
  for (const container of digList(status, 'containerStatuses').toReversed()) {
    const waiting = digText(container, 'state', 'waiting', 'reason');
    const terminated = dig(container, 'state', 'terminated');
    if (waiting !== '') reason = waiting;
    else if (terminated !== undefined) reason = readEnd(terminated);
    else if (dig(container, 'ready') === true && dig(container, 'state', 'running') !== undefined) hasRunning = true;
  }
  if (reason !== 'Completed' || !hasRunning) return reason;
  const ready = digList(status, 'conditions').find((condition) => digText(condition, 'type') === 'Ready');
  return digText(ready, 'status') === 'True' ? 'Running' : 'NotReady';
}

function readInitReason({ spec, status }: KubeObject): string | undefined {
  const total = digList(spec, 'initContainers').length;
  for (const [index, container] of digList(status, 'initContainerStatuses').entries()) {
    const terminated = dig(container, 'state', 'terminated');
    if (terminated !== undefined && digNumber(terminated, 'exitCode') === 0) continue;
    if (terminated !== undefined) return `Init:${readEnd(terminated)}`;
    const waiting = digText(container, 'state', 'waiting', 'reason');
    return waiting !== '' && waiting !== 'PodInitializing' ? `Init:${waiting}` : `Init:${index}/${total}`;
  }
  return undefined;
}

function readEnd(terminated: unknown): string {
  const reason = digText(terminated, 'reason');
  if (reason !== '') return reason;
  const signal = digNumber(terminated, 'signal');
  return signal === 0 ? `ExitCode:${digNumber(terminated, 'exitCode')}` : `Signal:${signal}`;
}
