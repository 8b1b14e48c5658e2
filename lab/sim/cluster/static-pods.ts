import type { KubeObject } from '../contracts.ts';
import { type BackOff, createBackOff, formatBackOff } from './backoff.ts';
import { pickBetween } from './identifiers.ts';
import { dialOwnApi, type KubeletContext } from './kubelet-context.ts';
import { type StaticPodManifest, scanManifests } from './manifest.ts';
import { deleteMirror, mirrorMatches, writeMirror } from './mirror-pods.ts';
import { isMirror } from './objects.ts';
import { type Prober, startProbing } from './prober.ts';
import { findProgram } from './programs/index.ts';
import type { Container } from './runtime.ts';
import { createDebounce } from './scope.ts';

/** How long an API server without etcd keeps the kubelet from a changed pod (Kubernetes 1.34). */
const mirrorWaitMs = 34_000;

interface Worker {
  readonly manifest: StaticPodManifest;
  readonly backOff: BackOff;
  container: Container | undefined;
  prober: Prober | undefined;
  /** A start is scheduled. */
  starting: boolean;
  stopping: boolean;
  /** kubernetes#109596: nothing happens until the kubelet is started again. */
  stuck: boolean;
  waiting: { reason: string; message?: string } | undefined;
}

export interface StaticPods {
  /** A container of a static pod has ended, or answers its probes otherwise. */
  changed(container: Container): void;
  /** The connection to the API is there, or a mirror pod has changed. */
  syncMirrors(): void;
}

/** Runs every pod of the manifests folder. */
export function runStaticPods(kubelet: KubeletContext, directory: string): StaticPods {
  const { world, machine, runtime, scope } = kubelet;
  const { clock, random } = world.context;
  const workers = new Map<string, Worker>();
  let isFirst = true;

  const nextOf = ({ podUid }: Container) => workers.get(podUid);
  const fullName = ({ namespace, name }: StaticPodManifest) => `${namespace}/${name}`;

  function sync(): void {
    const scan = scanManifests(machine.files, directory, machine.name);
    for (const { path, reason } of scan.refused) {
      kubelet.log(
        'E',
        'file.go:187',
        `"Could not process manifest file" err=${JSON.stringify(`${path}: ${reason}`)} path=${JSON.stringify(path)}`,
      );
    }
    const desired = new Map(scan.pods.map((pod) => [pod.uid, pod]));
    for (const container of runtime.list()) {
      const { podUid, state, source } = container;
      if (source !== 'file' || state !== 'running') continue;
      if (workers.has(podUid)) continue;
      const manifest = desired.get(podUid);
      if (manifest === undefined) terminateOrphan(container);
      else adopt(manifest, container);
    }
    for (const [uid, worker] of workers) if (!desired.has(uid)) terminate(worker);
    // Of several files with one pod's name the kubelet starts whichever comes first out of a map.
    const pods = [...desired.values()];
    if (pods.length > 1) pods.push(...pods.splice(0, Math.floor(random() * pods.length)));
    for (const manifest of pods) {
      if (workers.has(manifest.uid)) continue;
      const name = fullName(manifest);
      const isTaken = [...workers.values()].some((worker) => fullName(worker.manifest) === name) || isRunning(manifest);
      if (isTaken) {
        if (isFirst && random() < world.chances.staticPodRace) addWorker(manifest).stuck = true;
        continue;
      }
      start(addWorker(manifest));
    }
    isFirst = false;
    syncMirrors();
  }

  function isRunning({ namespace, name }: StaticPodManifest): boolean {
    return runtime
      .list()
      .some((other) => other.state === 'running' && other.podName === name && other.podNamespace === namespace);
  }

  function addWorker(manifest: StaticPodManifest): Worker {
    const worker: Worker = {
      manifest,
      backOff: createBackOff(),
      container: undefined,
      prober: undefined,
      starting: false,
      stopping: false,
      stuck: false,
      waiting: undefined,
    };
    workers.set(manifest.uid, worker);
    return worker;
  }

  function adopt(manifest: StaticPodManifest, container: Container): void {
    const worker = addWorker(manifest);
    worker.container = container;
    probe(worker, container);
  }

  function terminateOrphan({ id, podUid }: Container): void {
    runtime.stop(id, 30_000, () => {
      runtime.forget(podUid);
      resync();
    });
  }

  function terminate(worker: Worker): void {
    if (worker.stopping) return;
    worker.stopping = true;
    worker.prober?.stop();
    const { uid } = worker.manifest;
    const gone = () => {
      workers.delete(uid);
      resync();
    };
    if (worker.container?.state === 'running') runtime.stop(worker.container.id, 30_000, gone);
    else gone();
  }

  function start(worker: Worker): void {
    if (worker.starting || worker.stopping || worker.stuck) return;
    worker.starting = true;
    const dialled = dialOwnApi(kubelet);
    const waits =
      worker.container === undefined &&
      dialled.ok &&
      dialled.server.etcd === 'lost' &&
      !mirrorMatches(world, worker.manifest);
    const delay = pickBetween(random, 400, 900);
    scope.schedule(waits ? mirrorWaitMs + delay : delay, () => create(worker));
  }

  function create(worker: Worker): void {
    if (worker.stopping) return;
    if (!kubelet.containerdRuns()) {
      scope.schedule(1_000, () => create(worker));
      return;
    }
    worker.starting = false;
    worker.waiting = undefined;
    const { manifest } = worker;
    const before = runtime.ofPod(manifest.uid).at(-1);
    const container = runtime.start(
      {
        name: manifest.containerName,
        podName: manifest.name,
        podNamespace: manifest.namespace,
        podUid: manifest.uid,
        image: manifest.image,
        attempt: before === undefined ? 0 : before.attempt + 1,
        source: 'file',
      },
      findProgram(world, manifest.command),
    );
    worker.container = container;
    probe(worker, container);
    syncMirrors();
  }

  function probe(worker: Worker, container: Container): void {
    worker.prober?.stop();
    worker.prober = startProbing({
      scope,
      machine,
      container,
      probes: worker.manifest,
      onStarted: syncMirrors,
      onFailure(kind, host) {
        const { containerName, name, namespace } = worker.manifest;
        const pod = `pod="${namespace}/${name}"`;
        kubelet.log(
          'I',
          'prober.go:120',
          `"Probe failed" probeType="${kind === 'startup' ? 'Startup' : 'Liveness'}" ${pod} containerName="${containerName}" probeResult="failure" output="Get \\"https://${host}\\": dial tcp ${host}: connect: connection refused"`,
        );
        kubelet.log(
          'I',
          'kuberuntime_container.go:850',
          `"Killing container with a grace period" ${pod} containerName="${containerName}" gracePeriod=30`,
        );
        runtime.stop(container.id, 30_000);
      },
    });
  }

  function changed(container: Container): void {
    const worker = nextOf(container);
    if (worker?.container?.id === container.id && container.state === 'exited' && !worker.stopping) {
      worker.prober?.stop();
      const wait = worker.backOff.next(container.finishedAt ?? clock.now(), clock.now());
      if (wait > 0) {
        const { name, namespace, containerName, uid } = worker.manifest;
        const message = `back-off ${formatBackOff(worker.backOff)} restarting failed container=${containerName} pod=${name}_${namespace}(${uid})`;
        worker.waiting = { reason: 'CrashLoopBackOff', message };
        kubelet.log(
          'E',
          'pod_workers.go:1324',
          `"Error syncing pod, skipping" err="failed to \\"StartContainer\\" for \\"${containerName}\\" with CrashLoopBackOff: \\"${message}\\"" pod="${namespace}/${name}" podUID="${uid}"`,
        );
      }
      scope.schedule(wait + pickBetween(random, 100, 600), () => start(worker));
    }
    syncMirrors();
  }

  function syncMirrors(): void {
    if (!kubelet.connected()) return;
    const kept = new Set<string>();
    for (const worker of workers.values()) {
      const { manifest, prober, waiting } = worker;
      if (worker.stopping || worker.stuck) continue;
      kept.add(fullName(manifest));
      const containers = runtime.ofPod(manifest.uid);
      const started = prober?.started() ?? false;
      writeMirror(kubelet, manifest, { containers, waiting, started, ready: prober?.ready() ?? false });
    }
    for (const pod of world.pods.onNode(machine.name))
      if (isMirror(pod) && !kept.has(keyOf(pod))) deleteMirror(world, pod);
  }

  const resync = createDebounce(scope, () => pickBetween(random, 20, 100), sync);
  const rescan = createDebounce(scope, () => pickBetween(random, 100, 1_000), sync);
  const stopFollowing = machine.files.onChange((path) => {
    if (scope.ended) stopFollowing();
    else if (path.startsWith(`${directory}/`) || path === directory) rescan();
  });
  scope.schedule(pickBetween(random, 100, 400), sync);
  return { changed, syncMirrors };
}

function keyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`;
}
