import pLimit from 'p-limit';
import type { ContainerFacts } from '../../facts/containers.ts';
import type { ApiFacts } from '../../facts/api.ts';
import type { Facts } from '../../facts/facts.ts';
import { type Observed, seen, unseen } from '../../facts/observed.ts';
import type { KubeApi } from '../../kube/port.ts';
import { openNode } from '../../node/node.ts';
import type { Node } from '../../node/port.ts';
import { engineFacts, type World } from '../world.ts';
import type { ClusterAccess } from './access.ts';
import { gatherContainers, gatherNetwork } from './containers.ts';
import { gatherNode, type GatheredNode, type NodeReader } from './node.ts';

export interface Gathered {
  readonly facts: Facts;
  readonly access: ClusterAccess;
}

/**
 * Looks at everything once, from the engine upwards: one exec per node, nodes side by side, and a fixed number of API
 * lists. Never rejects but on abort: what could not be read is recorded with the reason.
 */
export async function gather(world: World, cluster: string, signal: AbortSignal): Promise<Gathered> {
  signal.throwIfAborted();
  const base = {
    format: 'rekindle.facts/v1' as const,
    gatheredAt: world.surroundings.clock.now().toISOString(),
    cluster,
  };
  if (!world.engine.ok)
    return {
      facts: { ...base, engine: await engineFacts(world), ...withoutEngine },
      access: { nodes: new Map(), adminConfs: new Map(), kubeApis: [] },
    };
  const { engine } = world.engine;
  const [containers, network] = await Promise.all([
    gatherContainers(engine, cluster, world.networkName),
    gatherNetwork(engine, world.networkName),
  ]);
  const list = containers.ok ? containers.value : [];
  const nodes = new Map<string, Node>();
  const limit = pLimit(nodesSideBySide);
  const reading = import('./readers.ts');
  const reader = reading.then(({ makeCertificateReader, readNode }): NodeReader => {
    const describe = makeCertificateReader();
    return (question, operations, results, hostTime) => readNode(question, operations, results, hostTime, describe);
  });
  const lookInto = (container: ContainerFacts) =>
    limit(async () => {
      const node = openNode(engine, container.name, container.running);
      nodes.set(container.name, node);
      const answer = await gatherNode(node, questionFor(container, list), world.surroundings.clock, signal, reader);
      return [container.name, answer] as const;
    });
  const controlPlanes = list.filter(({ role }) => role === 'control-plane').map(lookInto);
  const workers = list.filter(({ role }) => role === 'worker').map(lookInto);
  // The API needs a control plane's credentials and nothing of the workers.
  const reachApi = async () => {
    const inside = await Promise.all(controlPlanes);
    const adminConfs = new Map(
      inside.flatMap(([name, { adminConf }]) => (adminConf === undefined ? [] : [[name, adminConf] as const])),
    );
    const { connectKube, gatherApi } = await reading;
    const kubeApis = connectKube(world, list, adminConfs);
    return { adminConfs, kubeApis, api: await gatherFirstApi(kubeApis, inside, (kube) => gatherApi(kube, signal)) };
  };
  const lookAtHost = async () => {
    const { gatherHostKubeconfig, publishedPort } = await reading;
    return gatherHostKubeconfig(world, cluster, publishedPort(list));
  };
  const [engineTold, { adminConfs, kubeApis, api }, kubeconfig, ...gathered] = await Promise.all([
    engineFacts(world),
    reachApi(),
    lookAtHost(),
    ...controlPlanes,
    ...workers,
  ]);
  signal.throwIfAborted();
  return {
    facts: {
      ...base,
      engine: engineTold,
      containers,
      network,
      nodes: Object.fromEntries(gathered.map(([name, { facts }]) => [name, facts])),
      api,
      kubeconfig,
    },
    access: { nodes, adminConfs, kubeApis },
  };
}

/** Enough to keep an engine busy; a hundred execs at once would only wait for each other. */
export const nodesSideBySide = 16;

const noEngine = unseen('no Docker engine answers');
const withoutEngine = { containers: noEngine, network: noEngine, nodes: {}, api: noEngine, kubeconfig: noEngine };

function questionFor(container: ContainerFacts, all: readonly ContainerFacts[]) {
  const role = container.role === 'control-plane' ? ('control-plane' as const) : ('worker' as const);
  const balancer = all.find((other) => other.role === 'external-load-balancer');
  const entryPoint = balancer ?? all.find((other) => other.role === 'control-plane');
  return {
    name: container.name,
    role,
    running: container.running,
    endpointName: role === 'control-plane' ? container.name : (entryPoint?.name ?? container.name),
  };
}

/** The way through a node costs an exec for every call, so it is gone only where an API server runs behind a port that does not answer. */
async function gatherFirstApi(
  apis: readonly KubeApi[],
  gathered: readonly (readonly [string, GatheredNode])[],
  ask: (kube: KubeApi) => Promise<Observed<ApiFacts>>,
): Promise<Observed<ApiFacts>> {
  const [first, ...others] = apis;
  if (first === undefined) return unseen('no control plane gave its admin.conf');
  const answer = await ask(first);
  if (answer.ok) return answer;
  const isServerRunning = gathered.some(
    ([, { facts }]) =>
      facts.ok &&
      facts.value.components.ok &&
      facts.value.components.value.some(({ name, state }) => name === 'kube-apiserver' && state === 'running'),
  );
  if (!isServerRunning) return answer;
  for (const other of others) {
    const detour = await ask(other);
    if (detour.ok) return seen({ ...detour.value, portFailure: answer.reason });
  }
  return answer;
}
