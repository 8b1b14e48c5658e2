import type { ContainerFacts } from '../../facts/containers.ts';
import { readCredentials } from '../../kubeconfig/summarize.ts';
import { connectThroughPort } from '../../kube/https.ts';
import { connectThroughNode } from '../../kube/kubectl.ts';
import type { KubeApi } from '../../kube/port.ts';
import type { Node } from '../../node/port.ts';
import type { World } from '../world.ts';

/** The ways into a cluster that gathering found; steps go the same ways. */
export interface ClusterAccess {
  readonly nodes: ReadonlyMap<string, Node>;
  /** admin.conf of each control plane that could be read. Secret: lives in memory only. */
  readonly adminConfs: ReadonlyMap<string, string>;
  /** Connections to the API server, the most direct first; none where no admin.conf could be read. */
  readonly kubeApis: readonly KubeApi[];
}

/** Every kubeadm certificate of an API server names this, whatever address it is reached by. */
const certificateName = 'kubernetes';

export function connectKube(
  world: World,
  containers: readonly ContainerFacts[],
  adminConfs: ReadonlyMap<string, string>,
): KubeApi[] {
  const [first] = adminConfs;
  if (first === undefined || !world.engine.ok) return [];
  const { engine } = world.engine;
  const { sleep } = world.surroundings.clock;
  const [controlPlane, adminConf] = first;
  const apis: KubeApi[] = [];
  const port = publishedPort(containers);
  // A port published by a remote engine is not on this host; another cluster might be.
  if (port !== null && isLocalEndpoint(engine.endpoint)) {
    const host =
      port.hostIp === '' || port.hostIp === '0.0.0.0'
        ? '127.0.0.1'
        : port.hostIp === '::'
          ? '[::1]'
          : port.hostIp.includes(':')
            ? `[${port.hostIp}]`
            : port.hostIp;
    const credentials = readCredentials(adminConf);
    if (credentials.ok)
      apis.push(
        connectThroughPort({
          server: `https://${host}:${port.hostPort}`,
          credentials: credentials.value,
          servername: certificateName,
          sleep,
        }),
      );
  }
  apis.push(connectThroughNode(engine, controlPlane, { server: `https://localhost:6443`, sleep }));
  return apis;
}

/** Where the API is published: by the load balancer in HA, by the control plane otherwise. */
export function publishedPort(containers: readonly ContainerFacts[]): ContainerFacts['apiPort'] {
  const withPort = containers.filter(({ apiPort }) => apiPort !== null);
  return (withPort.find(({ role }) => role === 'external-load-balancer') ?? withPort[0])?.apiPort ?? null;
}

export function isLocalEndpoint(endpoint: string): boolean {
  return endpoint.startsWith('unix:') || endpoint.startsWith('npipe:');
}
