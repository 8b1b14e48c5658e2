import { parse } from 'yaml';
import type { FileSystem } from '../files.ts';
import type { NodeMachine } from '../contracts.ts';
import type { ApiServer, ClusterWorld } from './world.ts';

/** Envoy follows these files while it runs. */
export const envoyClusters = '/home/envoy/cds.yaml';
export const envoyListeners = '/home/envoy/lds.yaml';
export const haproxyConfig = '/usr/local/etc/haproxy/haproxy.cfg';

export type Backend =
  | { readonly ok: true; readonly server: ApiServer }
  /** `listens`: the connection is accepted and reset; else it is refused. */
  | { readonly ok: false; readonly listens: boolean };

/** Which API server answers behind the load balancer, as its files and the servers are now. */
export function chooseBackend(world: ClusterWorld, balancer: NodeMachine): Backend {
  if (!balancer.running()) return { ok: false, listens: false };
  const config = readBackends(balancer.files);
  // Docker's proxy accepts on the published port whatever runs behind it, and then resets.
  if (!config.listens) return { ok: false, listens: false };
  const servers = config.hosts.flatMap((host) => {
    const container = world.context.network.resolve(host)?.container;
    const server = container === undefined ? undefined : world.apiServers.get(container);
    return server ?? [];
  });
  const [first] = servers.filter(({ etcd, unready }) => etcd === 'ok' && unready.length === 0);
  const server = first ?? servers[0];
  return server === undefined ? { ok: false, listens: true } : { ok: true, server };
}

/** The host names or addresses of the backends. */
export function readBackends(files: FileSystem): { readonly listens: boolean; readonly hosts: readonly string[] } {
  const haproxy = files.readText(haproxyConfig);
  if (haproxy !== undefined) {
    const hosts = [...haproxy.matchAll(/^\s*server\s+\S+\s+\[?([^\s\]]+?)\]?:\d+/gm)].map(([, host]) => host ?? '');
    return { listens: /^\s*bind\s/m.test(haproxy), hosts };
  }
  const clusters = parseDocument(files.readText(envoyClusters));
  const listeners = parseDocument(files.readText(envoyListeners));
  const listens = countResources(listeners) > 0;
  return { listens, hosts: collectAddresses(clusters) };
}

function parseDocument(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : parse(text);
  } catch {
    return undefined;
  }
}

function countResources(document: unknown): number {
  const resources = (document as { readonly resources?: readonly unknown[] | null } | null | undefined)?.resources;
  return resources?.length ?? 0;
}

/** Every `socket_address` of the document, in order. */
function collectAddresses(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(collectAddresses);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const address = (inner as { readonly address?: unknown } | null)?.address;
    return key === 'socket_address' && typeof address === 'string' ? [address] : collectAddresses(inner);
  });
}
