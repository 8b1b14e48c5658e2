import type { NodeMachine } from '../contracts.ts';
import { type ApiPods, runApiPods } from './api-pods.ts';
import { readConnection } from './connection.ts';
import { dialOwnApi, type KubeletContext } from './kubelet-context.ts';
import { pickBetween } from './identifiers.ts';
import { checkNodeIps, internalIpOf, renewNodeLease, reportNode } from './node-status.ts';
import type { NodeSpec } from './objects.ts';
import type { Runtime } from './runtime.ts';
import { createScope } from './scope.ts';
import { runStaticPods } from './static-pods.ts';
import { formatKlog } from './words.ts';
import type { ClusterWorld } from './world.ts';

export const kubeletConfig = '/var/lib/kubelet/config.yaml';
const kubeletConf = '/etc/kubernetes/kubelet.conf';
const flagsFile = '/var/lib/kubelet/kubeadm-flags.env';

const renewMs = 10_000;
const firstRetryMs = 200;
const longestRetryMs = 7_000;

export interface RunningKubelet {
  /** The process ends; the containers go on. */
  end(): void;
}

export type KubeletStart =
  | { readonly ok: true; readonly kubelet: RunningKubelet }
  /** It ends at once, as its log tells. */
  | { readonly ok: false };

/** Starts a kubelet with what its files say now. */
export function startKubelet(options: {
  readonly world: ClusterWorld;
  readonly machine: NodeMachine;
  readonly runtime: Runtime;
  readonly processId: number;
  readonly containerdRuns: () => boolean;
  readonly write: (line: string) => void;
  readonly podAddresses: { next: number };
}): KubeletStart {
  const { world, machine, runtime, processId, write } = options;
  const { clock, random } = world.context;
  const log = (level: 'I' | 'W' | 'E', place: string, text: string) =>
    write(formatKlog(level, clock.now(), processId, place, text));

  log('I', 'server.go:529', '"Kubelet version" kubeletVersion="v1.34.4"');
  const config = readConnection(machine.files, kubeletConf);
  if (!config.ok || config.value.clientCertificatePem === undefined) {
    log(
      'E',
      'run.go:72',
      '"command failed" err="failed to run Kubelet: unable to load bootstrap kubeconfig: stat /etc/kubernetes/bootstrap-kubelet.conf: no such file or directory"',
    );
    return { ok: false };
  }
  if (!options.containerdRuns()) {
    log(
      'E',
      'run.go:72',
      '"command failed" err="failed to run Kubelet: validate service connection: validate CRI v1 runtime API for endpoint \\"unix:///run/containerd/containerd.sock\\": rpc error: code = Unavailable desc = connection error: desc = \\"transport: Error while dialing: dial unix /run/containerd/containerd.sock: connect: no such file or directory\\""',
    );
    return { ok: false };
  }
  const connection = config.value;
  const scope = createScope(clock);
  const nodeIps = readNodeIps(machine);
  const directory = /^staticPodPath:\s*"?([^"\s]+)"?/m.exec(machine.files.readText(kubeletConfig) ?? '')?.[1];
  let answered = false;
  let missed = false;
  let retryMs = firstRetryMs;
  let cancelTick = () => undefined as void;
  let apiPods: ApiPods | undefined;

  const kubelet: KubeletContext = {
    world,
    machine,
    runtime,
    scope,
    connection,
    log,
    containerdRuns: options.containerdRuns,
    connected() {
      if (!answered || scope.ended) return false;
      const isAnswering = failureOf(kubelet) === undefined;
      if (!isAnswering) missed = true;
      return isAnswering;
    },
    nodeIp() {
      const node = world.store.get('nodes', undefined, machine.name);
      return internalIpOf(node) || (machine.interfaces()[0]?.ipv4 ?? '');
    },
  };

  if (nodeIps.length > 0) scope.schedule(50, () => checkNodeIps(kubelet, nodeIps));
  const staticPods = directory === undefined ? undefined : runStaticPods(kubelet, directory);
  apiPods = runApiPods(kubelet, () => {
    const { podCIDR = '10.244.0.0/24' } = (world.store.get('nodes', undefined, machine.name)?.spec ?? {}) as NodeSpec;
    options.podAddresses.next = options.podAddresses.next >= 254 ? 2 : options.podAddresses.next + 1;
    return podCIDR.replace(/\.0\/24$/, `.${options.podAddresses.next}`);
  });

  runtime.onChange = (container) => {
    if (scope.ended) return;
    if (container.source === 'file') staticPods?.changed(container);
    else apiPods?.changed(container);
  };
  const onServerStopped = () => soon(pickBetween(random, 100, 1_000));
  world.serverListeners.add(onServerStopped);
  const stopFollowing = machine.files.onChange((path) => {
    if (path.startsWith('/etc/cni/net.d')) soon(pickBetween(random, 300, 1_500));
  });
  cancelTick = scope.schedule(pickBetween(random, 200, 600), tick);

  function soon(delayMs: number): void {
    cancelTick();
    cancelTick = scope.schedule(delayMs, tick);
  }

  function tick(): void {
    const failure = failureOf(kubelet);
    if (failure === undefined) {
      const isNew = !answered || missed;
      answered = true;
      missed = false;
      retryMs = firstRetryMs;
      reportNode(kubelet, nodeIps);
      renewNodeLease(kubelet);
      if (isNew) {
        staticPods?.syncMirrors();
        apiPods?.resync();
      }
      cancelTick = scope.schedule(renewMs, tick);
      return;
    }
    answered = false;
    logFailure(failure.message);
    cancelTick = scope.schedule(failure.tookMs + retryMs, tick);
    retryMs = Math.min(longestRetryMs, retryMs * 2);
  }

  function logFailure(message: string): void {
    const { server } = connection;
    const lease = `${server}/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${machine.name}?timeout=10s`;
    const say = (verb: string, url: string) =>
      message === 'Unauthorized' ? message : `${verb} \\"${url}\\": ${message.replaceAll('"', '\\"')}`;
    log(
      'E',
      'controller.go:145',
      `"Failed to ensure lease exists, will retry" err="${say('Get', lease)}" interval="${formatInterval(retryMs)}"`,
    );
    const node = `${server}/api/v1/nodes/${machine.name}`;
    const text = world.joined.has(machine.name)
      ? `"Error updating node status, will retry" err="error getting node \\"${machine.name}\\": ${say('Get', node)}"`
      : `"Unable to register node with API server" err="${say('Post', `${server}/api/v1/nodes`)}" node="${machine.name}"`;
    log('E', world.joined.has(machine.name) ? 'kubelet_node_status.go:473' : 'kubelet_node_status.go:107', text);
  }

  return {
    ok: true,
    kubelet: {
      end() {
        scope.end();
        stopFollowing();
        world.serverListeners.delete(onServerStopped);
      },
    },
  };
}

/** Why the API does not answer this kubelet; a server without etcd takes requests and lets them wait. */
function failureOf(kubelet: KubeletContext): { readonly message: string; readonly tookMs: number } | undefined {
  const dialled = dialOwnApi(kubelet);
  if (!dialled.ok) return { message: dialled.message, tookMs: dialled.tookMs };
  if (dialled.server.etcd === 'ok') return undefined;
  return { message: 'context deadline exceeded', tookMs: 10_000 };
}

function readNodeIps({ files }: NodeMachine): readonly string[] {
  const value = /--node-ip=([^\s"]+)/.exec(files.readText(flagsFile) ?? '')?.[1];
  return value === undefined ? [] : value.split(',').filter((address) => address !== '');
}

function formatInterval(milliseconds: number): string {
  return milliseconds < 1_000 ? `${milliseconds}ms` : `${milliseconds / 1000}s`;
}
