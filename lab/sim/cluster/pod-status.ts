import type { Condition, PodStatus } from './objects.ts';
import { setCondition } from './objects.ts';
import type { Container } from './runtime.ts';
import { toTime } from './words.ts';

export interface PodObservation {
  readonly name: string;
  readonly image: string;
  /** Oldest first. */
  readonly containers: readonly Container[];
  readonly ready: boolean;
  readonly started: boolean;
  /** Why no container runs, where the kubelet waits. */
  readonly waiting: { readonly reason: string; readonly message?: string } | undefined;
  readonly hostIp: string;
  readonly podIp: string;
  readonly now: number;
}

/** What a kubelet reports of a pod with one container. */
export function buildPodStatus(old: PodStatus, observation: PodObservation): PodStatus {
  const { hostIp, podIp, ready, now } = observation;
  const time = toTime(now);
  const current = observation.containers.at(-1);
  const status = ready ? 'True' : 'False';
  const unready = { reason: 'ContainersNotReady', message: `containers with unready status: [${observation.name}]` };
  const reason = ready ? {} : unready;
  let conditions: readonly Condition[] = old.conditions ?? [];
  const isCreated = current !== undefined;
  for (const condition of [
    { type: 'PodReadyToStartContainers', status: isCreated ? 'True' : 'False' },
    { type: 'Initialized', status: 'True' },
    { type: 'Ready', status, ...reason },
    { type: 'ContainersReady', status, ...reason },
    { type: 'PodScheduled', status: 'True' },
  ]) {
    conditions = setCondition(conditions, { lastProbeTime: null, lastTransitionTime: time, ...condition });
  }
  return {
    ...old,
    phase: isCreated ? 'Running' : 'Pending',
    conditions,
    containerStatuses: [buildContainerStatus(observation)],
    hostIP: hostIp,
    hostIPs: [{ ip: hostIp }],
    ...(isCreated && podIp !== '' ? { podIP: podIp, podIPs: [{ ip: podIp }] } : {}),
    qosClass: old['qosClass'] ?? 'BestEffort',
    startTime: old.startTime ?? time,
  };
}

function buildContainerStatus({ name, image, containers, ready, started, waiting }: PodObservation) {
  const current = containers.at(-1);
  const previous = current?.state === 'running' || waiting !== undefined ? findEnded(containers) : containers.at(-2);
  const state =
    current?.state === 'running'
      ? { running: { startedAt: toTime(current.createdAt) } }
      : current === undefined || waiting !== undefined
        ? { waiting: waiting ?? { reason: 'ContainerCreating' } }
        : { terminated: describeEnd(current) };
  return {
    ...(current === undefined ? {} : { containerID: `containerd://${current.id}` }),
    image,
    imageID: current === undefined ? '' : `sha256:${current.id}`,
    lastState: previous === undefined ? {} : { terminated: describeEnd(previous) },
    name,
    ready,
    restartCount: current?.attempt ?? 0,
    started,
    state,
  };
}

function findEnded(containers: readonly Container[]): Container | undefined {
  return containers.findLast(({ state }) => state === 'exited');
}

function describeEnd({ id, exitCode, finishedAt, createdAt, reason }: Container) {
  return {
    containerID: `containerd://${id}`,
    exitCode: exitCode ?? 0,
    finishedAt: toTime(finishedAt ?? createdAt),
    reason,
    startedAt: toTime(createdAt),
  };
}
