import type { KubeObject } from '../../contracts.ts';
import { groupBy, isReady, type Labels, specOf, statusOf, uidOf } from '../objects.ts';
import type { ClusterWorld } from '../world.ts';
import type { Concerns } from './dirty.ts';
import { matchesLabels } from './daemon-sets.ts';

interface ServiceSpec {
  readonly selector?: Labels;
  readonly ports?: readonly { readonly name?: string; readonly port: number; readonly targetPort?: number | string }[];
}

/** Endpoints and slices of every service with a selector follow its pods' readiness. */
export function syncEndpoints(world: ClusterWorld, concerns: Concerns): void {
  const services = world.store
    .list('services')
    .filter(
      ({ spec, metadata }) =>
        (spec as ServiceSpec).selector !== undefined && concerns.namespace(metadata.namespace ?? ''),
    );
  if (services.length === 0) return;
  const byNamespace = groupBy(services, ({ metadata }) => metadata.namespace ?? '');
  const chosen = new Map<KubeObject, KubeObject[]>(services.map((service) => [service, []]));
  for (const pod of world.pods.all()) {
    for (const service of byNamespace.get(pod.metadata.namespace ?? '') ?? []) {
      const { selector = {} } = service.spec as ServiceSpec;
      if (matchesLabels(pod.metadata.labels ?? {}, selector)) chosen.get(service)?.push(pod);
    }
  }
  for (const [service, pods] of chosen) writeEndpoints(world, service, pods);
}

function writeEndpoints(world: ClusterWorld, service: KubeObject, pods: readonly KubeObject[]): void {
  const { name, namespace = 'default', labels = {} } = service.metadata;
  const ports = ((service.spec as ServiceSpec).ports ?? []).map(({ name: port, targetPort, port: number }) => ({
    ...(port === undefined ? {} : { name: port }),
    port: typeof targetPort === 'number' ? targetPort : number,
    protocol: 'TCP',
  }));
  const placed = pods
    .filter((pod) => statusOf(pod).podIP !== undefined && pod.metadata.deletionTimestamp === undefined)
    .sort((left, right) => left.metadata.name.localeCompare(right.metadata.name));
  const toAddress = (pod: KubeObject) => ({
    ip: statusOf(pod).podIP,
    nodeName: specOf(pod).nodeName,
    targetRef: { kind: 'Pod', name: pod.metadata.name, namespace, uid: uidOf(pod) },
  });
  const [ready, waiting] = [placed.filter(isReady), placed.filter((pod) => !isReady(pod))];
  const subsets =
    placed.length === 0
      ? []
      : [
          {
            ...(ready.length > 0 ? { addresses: ready.map(toAddress) } : {}),
            ...(waiting.length > 0 ? { notReadyAddresses: waiting.map(toAddress) } : {}),
            ports,
          },
        ];
  put(world, 'endpoints', { apiVersion: 'v1', kind: 'Endpoints', metadata: { name, namespace, labels }, subsets });
  put(world, 'endpointslices.discovery.k8s.io', {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: `${name}-slice`, namespace, labels: { ...labels, 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    endpoints: placed.map((pod) => ({
      addresses: [statusOf(pod).podIP],
      conditions: { ready: isReady(pod), serving: isReady(pod), terminating: false },
      nodeName: specOf(pod).nodeName,
      targetRef: { kind: 'Pod', name: pod.metadata.name, namespace, uid: uidOf(pod) },
    })),
    ports,
  });
}

function put({ store }: ClusterWorld, resource: string, object: KubeObject): void {
  const old = store.get(resource, object.metadata.namespace, object.metadata.name);
  if (old === undefined) store.create(resource, object);
  else store.update(resource, { ...object, metadata: old.metadata });
}
