import { isSameAddress } from '../../manifests/address.ts';
import { followUntil } from '../../kube/mirror.ts';
import { type KubeApi, KubeError } from '../../kube/port.ts';
import { askUnready, itemsOf, leasesPath, nodesPath, toNodeFacts } from '../gather/api.ts';
import { engineNow } from '../../facts/select.ts';
import { limitTime } from '../time-limit.ts';
import { listRunning, restart, stopContainers } from './units.ts';
import type { ExecuteStep, StepContext } from './step-context.ts';

const apiTimeoutMs = 90_000;
/** After so long without an answer the static pods may be in the state of kubernetes#109596: the kubelet is restarted once more. */
const kickAfterMs = 25_000;
/** The way through a node costs an exec each time; it is for a published port that stays out of reach. */
const detourAfterMs = 5_000;
const betweenDetoursMs = 2_000;
/** Asked often, an API server that is nearly there is met at once; one that stays away needs the processors for itself. */
const pollMs = 250;
const slowPollMs = 1_000;
const slowAfterMs = 20_000;
const nodesTimeoutMs = 90_000;
/** A new leader waits for the old lease to run out (15 s) after the process has started. */
const controllersTimeoutMs = 60_000;
/** After so long a component whose container does not run is in the kubelet's back-off, which only a restart clears. */
const kickControllersAfterMs = 20_000;
const requestTimeoutMs = 3_000;

/** An API server that does not answer yet offers nothing to watch, so it is asked again and again. */
export const waitApi: ExecuteStep<'wait-api'> = async (_step, context) => {
  const { clock } = context.world.surroundings;
  const start = clock.monotonic();
  let kicked = false;
  let nextDetour = detourAfterMs;
  for (;;) {
    const waited = clock.monotonic() - start;
    const withDetour = waited > nextDetour;
    if (withDetour) nextDetour = waited + betweenDetoursMs;
    const reason = await askReady(context, withDetour);
    if (reason === undefined) return kicked ? 'after restarting the kubelet once more' : '';
    if (waited > apiTimeoutMs)
      throw new Error(`the API server does not answer after ${Math.round(waited / 1000)} s: ${reason}`);
    if (!kicked && waited > kickAfterMs) {
      kicked = true;
      await restartSilentControlPlanes(context);
    }
    context.progress(reason);
    await clock.sleep(waited < slowAfterMs ? pollMs : slowPollMs, context.signal);
  }
};

/** Why the API server does not answer; undefined where it does. */
async function askReady(context: StepContext, withDetour: boolean): Promise<string | undefined> {
  let reason: string | undefined;
  for (const kube of withDetour ? context.access.kubeApis : context.access.kubeApis.slice(0, 1)) {
    const unready = await askUnready(kube, { timeoutMs: requestTimeoutMs, signal: context.signal });
    context.signal.throwIfAborted();
    if (unready === '') return undefined;
    reason ??= unready;
  }
  return reason ?? 'no control plane gave its admin.conf';
}

/**
 * Leaves alone a control plane whose API server and etcd run: it is slow, not stuck. One that runs without its etcd is
 * ended first, since it would keep the kubelet waiting (see repairs/kubelet.ts).
 */
async function restartSilentControlPlanes(context: StepContext): Promise<void> {
  for (const name of runningControlPlanes(context)) {
    const apiServers = await listRunning(context, name, 'kube-apiserver');
    const etcds = await listRunning(context, name, 'etcd');
    if (apiServers.length > 0 && etcds.length > 0) continue;
    await stopContainers(context, name, apiServers);
    await restart(context, name, 'kubelet');
  }
}

interface NodeObject {
  readonly metadata: { readonly name: string };
}

interface LeaseObject {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec?: { readonly renewTime?: string };
}

/**
 * Ready counts when the kubelet says so itself: its lease must have been renewed since its restart, for the API goes on
 * saying Ready of a silent node for most of a minute.
 */
export const waitNodes: ExecuteStep<'wait-nodes'> = async ({ nodes }, context) => {
  const kube = await firstAnswering(context);
  const limit = limitTime(context.world.surroundings.clock, nodesTimeoutMs, context.signal);
  const missing = new Map<string, string>(nodes.map(({ name }) => [name, 'not heard of yet']));
  const heardSince = (name: string) => context.kubeletRestarts.get(name) ?? engineNow(context.facts) - 40_000;
  try {
    await Promise.all([
      followUntil<NodeObject>(kube, nodesPath, followOptions(context, limit.signal), (objects) => {
        for (const { name, addresses } of nodes) {
          const object = objects.get(name);
          set(missing, name, object === undefined ? 'not registered' : lacking(object, addresses));
        }
        return report();
      }),
      followUntil<LeaseObject>(kube, nodeLeasesPath, followOptions(context, limit.signal), (leases) =>
        nodes.every(({ name }) => Date.parse(leases.get(name)?.spec?.renewTime ?? '1970') > heardSince(name)),
      ),
    ]);
    return `all ${nodes.length} Ready`;
  } catch (error) {
    context.signal.throwIfAborted();
    if (!limit.signal.aborted) throw error;
    const lacks = [...missing].map(([name, what]) => `${name}: ${what}`);
    throw new Error(
      `after ${nodesTimeoutMs / 1000} s ${lacks.length === 0 ? 'a kubelet has not renewed its lease yet' : lacks.join('; ')}`,
      { cause: error },
    );
  } finally {
    limit.clear();
  }

  function report(): boolean {
    context.progress(
      missing.size === 0
        ? `all ${nodes.length} nodes Ready`
        : `${nodes.length - missing.size} of ${nodes.length} nodes Ready; ${[...missing].map(([name, what]) => `${name}: ${what}`).join('; ')}`,
    );
    return missing.size === 0;
  }
};

const nodeLeasesPath = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';

function lacking(object: NodeObject, addresses: readonly string[]): string | undefined {
  const { ready, readyReason, internalAddresses } = toNodeFacts(object, null);
  if (ready !== 'True') return `not Ready (${readyReason || ready || 'no condition'})`;
  const wrong =
    internalAddresses.length === 0 ||
    !addresses.every((address) => internalAddresses.some((own) => isSameAddress(own, address)));
  return wrong ? `INTERNAL-IP is ${internalAddresses.join(', ') || 'missing'}` : undefined;
}

function set(map: Map<string, string>, key: string, value: string | undefined): void {
  if (value === undefined) map.delete(key);
  else map.set(key, value);
}

export const waitControllers: ExecuteStep<'wait-controllers'> = async ({ components }, context) => {
  const kube = await firstAnswering(context);
  const limit = limitTime(context.world.surroundings.clock, controllersTimeoutMs, context.signal);
  const before = new Map<string, string>();
  let still: readonly string[] = components;
  void context.world.surroundings.clock
    .sleep(kickControllersAfterMs, limit.signal)
    .then(() => restartWhereEnded(still, context))
    // The wait itself tells what does not come; its end calls this off.
    .catch(() => undefined);
  try {
    const leases = itemsOf<LeaseObject>(await kube.get(leasesPath, followOptions(context, limit.signal)));
    for (const { metadata, spec } of leases)
      if (metadata.namespace === 'kube-system') before.set(metadata.name, spec?.renewTime ?? '');
    await followUntil<LeaseObject>(
      kube,
      '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases',
      followOptions(context, limit.signal),
      (objects) => {
        still = components.filter((name) => (objects.get(name)?.spec?.renewTime ?? '') <= (before.get(name) ?? ''));
        context.progress(
          still.length === 0 ? 'every lease moves' : `${still.join(', ')}: the old lease has to run out first`,
        );
        return still.length === 0;
      },
    );
    return '';
  } catch (error) {
    context.signal.throwIfAborted();
    if (!limit.signal.aborted) throw error;
    throw new Error(`${components.join(' or ')} has not renewed its lease within ${controllersTimeoutMs / 1000} s`, {
      cause: error,
    });
  } finally {
    limit.clear();
  }
};

/** Restarts the kubelet of each control plane on which a component has no running container. */
async function restartWhereEnded(components: readonly string[], context: StepContext): Promise<void> {
  for (const name of runningControlPlanes(context)) {
    const running = await Promise.all(components.map((component) => listRunning(context, name, component)));
    if (running.some((ids) => ids.length === 0)) await restart(context, name, 'kubelet');
  }
}

function runningControlPlanes(context: StepContext): string[] {
  const containers = context.facts.containers.ok ? context.facts.containers.value : [];
  return containers.filter(({ role, running }) => role === 'control-plane' && running).map(({ name }) => name);
}

/** The way to the API that answers now: the node's own where the published port does not. */
async function firstAnswering(context: StepContext): Promise<KubeApi> {
  let last: unknown = new Error('no control plane gave its admin.conf');
  for (const kube of context.access.kubeApis) {
    try {
      await kube.get('/readyz', { timeoutMs: requestTimeoutMs, signal: context.signal });
      return kube;
    } catch (error) {
      context.signal.throwIfAborted();
      if (!(error instanceof KubeError)) throw error;
      last = error;
    }
  }
  throw last;
}

function followOptions(context: StepContext, signal: AbortSignal) {
  return { timeoutMs: requestTimeoutMs, signal, pause: () => context.world.surroundings.clock.sleep(250, signal) };
}
