import { modifyObject } from './objects.ts';
import type { ClusterWorld } from './world.ts';

/** The API servers themselves publish who they are, in the endpoints of the service `kubernetes`. */
export function publishServers(world: ClusterWorld): void {
  const ready = [...world.apiServers.values()].filter(({ etcd, unready }) => etcd === 'ok' && unready.length === 0);
  if (ready.length === 0) return;
  const addresses = ready.map(({ advertiseAddress }) => advertiseAddress).sort();
  modifyObject(world.store, 'endpoints', 'default', 'kubernetes', (endpoints) => ({
    ...endpoints,
    subsets: [{ addresses: addresses.map((ip) => ({ ip })), ports: [{ name: 'https', port: 6443, protocol: 'TCP' }] }],
  }));
  modifyObject(world.store, 'endpointslices.discovery.k8s.io', 'default', 'kubernetes', (slice) => ({
    ...slice,
    endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
  }));
}
