import type { KubeObject, StoreEvent } from '../contracts.ts';
import { type BackOff, createBackOff, formatBackOff } from './backoff.ts';
import { pickBetween } from './identifiers.ts';
import type { KubeletContext } from './kubelet-context.ts';
import { isMirror, specOf, statusOf, uidOf } from './objects.ts';
import { baseName, serveAfter } from './pod-behaviour.ts';
import { buildPodStatus } from './pod-status.ts';
import type { Container, Program } from './runtime.ts';

interface Worker {
  pod: KubeObject;
  readonly backOff: BackOff;
  container: Container | undefined;
  podIp: string;
  starting: boolean;
  stopping: boolean;
  waiting: { reason: string; message?: string } | undefined;
  /** Ends the startup probe. */
  stopProbe: () => void;
  started: boolean;
}

export interface ApiPods {
  changed(container: Container): void;
  /** The API answers (again): takes over what it says and reports everything. */
  resync(): void;
}

/** Runs the pods that the API has bound to the node. Nothing is scheduled for a pod that does not change. */
export function runApiPods(kubelet: KubeletContext, nextPodIp: () => string): ApiPods {
  const { world, machine, runtime, scope } = kubelet;
  const { clock, random } = world.context;
  const workers = new Map<string, Worker>();
  const dirty = new Set<string>();
  let isListed = false;

  const stopFollowing = world.pods.follow(machine.name, follow);

  function follow({ object }: StoreEvent): void {
    if (scope.ended) stopFollowing();
    else if (isListed && kubelet.connected() && !isMirror(object)) mark(uidOf(object));
  }

  function mark(uid: string): void {
    dirty.add(uid);
    if (dirty.size === 1) scope.schedule(pickBetween(random, 20, 120), syncDirty);
  }

  function syncDirty(): void {
    const uids = [...dirty];
    dirty.clear();
    if (!kubelet.connected()) return;
    const pods = new Map(world.pods.onNode(machine.name).map((pod) => [uidOf(pod), pod]));
    for (const uid of uids) sync(uid, pods.get(uid));
  }

  function sync(uid: string, pod: KubeObject | undefined): void {
    const worker = workers.get(uid);
    if (pod === undefined) {
      if (worker !== undefined) terminate(worker);
      return;
    }
    if (worker !== undefined) worker.pod = pod;
    if (pod.metadata.deletionTimestamp !== undefined) {
      terminate(worker ?? addWorker(pod));
      return;
    }
    if (worker === undefined) {
      const added = addWorker(pod);
      const running = runtime.ofPod(uid).at(-1);
      if (running?.state === 'running') {
        added.container = running;
        added.started = true;
        report(added);
      } else start(added);
    }
  }

  function addWorker(pod: KubeObject): Worker {
    const worker: Worker = {
      pod,
      backOff: createBackOff(),
      container: undefined,
      podIp: specOf(pod).hostNetwork === true ? '' : (statusOf(pod).podIP ?? ''),
      starting: false,
      stopping: false,
      waiting: undefined,
      stopProbe: () => undefined,
      started: false,
    };
    workers.set(uidOf(pod), worker);
    return worker;
  }

  function start(worker: Worker): void {
    if (worker.starting || worker.stopping) return;
    worker.starting = true;
    report(worker);
    scope.schedule(pickBetween(random, 500, 1_800), () => create(worker));
  }

  function create(worker: Worker): void {
    if (worker.stopping) return;
    if (!kubelet.containerdRuns()) {
      scope.schedule(1_000, () => create(worker));
      return;
    }
    worker.starting = false;
    worker.waiting = undefined;
    worker.started = false;
    const { pod } = worker;
    const [spec] = specOf(pod).containers;
    if (spec === undefined) return;
    if (specOf(pod).hostNetwork !== true) worker.podIp = nextPodIp();
    const attempts = runtime.ofPod(uidOf(pod));
    const container = runtime.start(
      {
        name: spec.name,
        podName: pod.metadata.name,
        podNamespace: pod.metadata.namespace ?? '',
        podUid: uidOf(pod),
        image: spec.image,
        attempt: nextAttempt(pod, attempts.at(-1)),
        source: 'api',
      },
      programOf(pod, spec.image),
    );
    worker.container = container;
    watchStart(worker, container);
    report(worker);
  }

  function programOf(pod: KubeObject, image: string): Program {
    const behaviour = world.behaviours.get(baseName(image));
    return (host) => {
      // A process cannot be spread: its scope and identity are its own.
      const podHost = { ...host, world, pod };
      return behaviour?.(podHost) ?? serveAfter(podHost, pickBetween(random, 600, 2_500));
    };
  }

  /** The startup probe kills what does not start in time; what has none counts as started. */
  function watchStart(worker: Worker, container: Container): void {
    worker.stopProbe();
    const probe = specOf(worker.pod).containers[0]?.startupProbe;
    if (probe === undefined) {
      worker.started = true;
      return;
    }
    const threshold = probe.failureThreshold ?? 3;
    const period = (probe.periodSeconds ?? 10) * 1000;
    const limit = (probe.initialDelaySeconds ?? 0) * 1000 + threshold * period;
    worker.stopProbe = scope.schedule(limit, () => {
      if (container.state !== 'running' || container.program.started()) return;
      const { name, namespace } = worker.pod.metadata;
      kubelet.log(
        'I',
        'kuberuntime_manager.go:1107',
        `"Message for Container of pod" containerName="${container.name}" containerStatusID="containerd://${container.id}" pod="${namespace ?? ''}/${name}" containerMessage="Container ${container.name} failed startup probe, will be restarted"`,
      );
      runtime.stop(container.id, 30_000);
    });
  }

  function changed(container: Container): void {
    const worker = workers.get(container.podUid);
    if (worker === undefined || worker.container?.id !== container.id || worker.stopping) return;
    if (container.program.started()) worker.started = true;
    if (container.state === 'exited') {
      worker.stopProbe();
      const wait = worker.backOff.next(container.finishedAt ?? clock.now(), clock.now());
      if (wait > 0) {
        const { name, namespace } = worker.pod.metadata;
        const message = `back-off ${formatBackOff(worker.backOff)} restarting failed container=${container.name} pod=${name}_${namespace ?? ''}(${container.podUid})`;
        worker.waiting = { reason: 'CrashLoopBackOff', message };
        kubelet.log(
          'E',
          'pod_workers.go:1324',
          `"Error syncing pod, skipping" err="failed to \\"StartContainer\\" for \\"${container.name}\\" with CrashLoopBackOff: \\"${message}\\"" pod="${namespace ?? ''}/${name}" podUID="${container.podUid}"`,
        );
      }
      scope.schedule(wait, () => start(worker));
    }
    report(worker);
  }

  function terminate(worker: Worker): void {
    if (worker.stopping) return;
    worker.stopping = true;
    worker.stopProbe();
    const uid = uidOf(worker.pod);
    const gone = () => {
      runtime.forget(uid);
      workers.delete(uid);
      const { namespace, name } = worker.pod.metadata;
      const stored = world.store.get('pods', namespace, name);
      if (stored === undefined || uidOf(stored) !== uid) return;
      if (kubelet.connected()) world.store.remove('pods', namespace, name);
    };
    const running = runtime.ofPod(uid).find(({ state }) => state === 'running');
    if (running === undefined) scope.schedule(100, gone);
    else runtime.stop(running.id, 30_000, gone);
  }

  function report(worker: Worker): void {
    const { namespace, name } = worker.pod.metadata;
    const uid = uidOf(worker.pod);
    const stored = kubelet.connected() ? world.store.get('pods', namespace, name) : undefined;
    if (stored === undefined || uidOf(stored) !== uid) return;
    const { container, waiting, started } = worker;
    const [spec] = specOf(stored).containers;
    const hostIp = kubelet.nodeIp();
    const containers = runtime.ofPod(uid);
    const status = buildPodStatus(statusOf(stored), {
      name: spec?.name ?? '',
      image: spec?.image ?? '',
      containers,
      ready: container?.state === 'running' && started && container.program.ready(),
      started: container?.state === 'running' && started,
      waiting,
      hostIp,
      podIp: specOf(stored).hostNetwork === true ? hostIp : worker.podIp,
      now: clock.now(),
    });
    worker.pod = world.store.update('pods', { ...stored, status });
  }

  return {
    changed,
    resync() {
      isListed = true;
      for (const pod of world.pods.onNode(machine.name)) if (!isMirror(pod)) mark(uidOf(pod));
      for (const uid of workers.keys()) mark(uid);
      for (const worker of workers.values()) report(worker);
      for (const { source, state, podUid } of runtime.list())
        if (source === 'api' && state === 'running') dropUnknown(podUid);
    },
  };

  /** A container whose pod the API no longer knows. */
  function dropUnknown(podUid: string): void {
    const isKnown = workers.has(podUid) || world.pods.onNode(machine.name).some((pod) => uidOf(pod) === podUid);
    if (isKnown) return;
    for (const { id } of runtime.ofPod(podUid)) runtime.stop(id, 30_000, () => runtime.forget(podUid));
  }
}

function nextAttempt(pod: KubeObject, before: Container | undefined): number {
  if (before !== undefined) return before.attempt + 1;
  const reported = statusOf(pod).containerStatuses?.[0];
  return reported?.['containerID'] === undefined ? 0 : (reported.restartCount ?? 0) + 1;
}
