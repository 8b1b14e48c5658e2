/** What differs between the images that kind's nodes are made from. */
export interface NodeImage {
  /** `before-v0.30`: the entrypoint leaves kubelet.conf alone when the node's address changes. */
  readonly entrypoint: 'current' | 'before-v0.30';
  /** Such as `v1.34.4`. From v1.33 a control plane's kubelet.conf names the node's own address. */
  readonly kubernetes: string;
  /** `envoy-v0.32`: the container's command empties Envoy's dynamic configuration at every start. */
  readonly loadBalancer: 'envoy-v0.32' | 'envoy' | 'haproxy';
}

export const currentImage: NodeImage = { entrypoint: 'current', kubernetes: 'v1.34.4', loadBalancer: 'envoy' };

export const pauseImage = 'registry.k8s.io/pause:3.10.1';
export const etcdImage = 'registry.k8s.io/etcd:3.6.5-0';

export type NodeRole = 'control-plane' | 'worker' | 'external-load-balancer';

/** A container of the cluster with the addresses that Docker dealt it when the cluster was made. */
export interface NodePlace {
  readonly name: string;
  readonly role: NodeRole;
  readonly ipv4: string;
  /** Empty where Docker's network has no IPv6. */
  readonly ipv6: string;
  readonly gateway: string;
}

/** kind's names for a cluster's containers, in the order in which it makes them. */
export function nameContainers(
  cluster: string,
  counts: { readonly controlPlanes: number; readonly workers: number },
): { readonly name: string; readonly role: NodeRole }[] {
  const number = (count: number, role: NodeRole) =>
    Array.from({ length: count }, (_, index) => ({
      name: `${cluster}-${role}${index === 0 ? '' : index + 1}`,
      role,
    }));
  return [
    ...number(counts.controlPlanes > 1 ? 1 : 0, 'external-load-balancer'),
    ...number(counts.controlPlanes, 'control-plane'),
    ...number(counts.workers, 'worker'),
  ];
}

export function namesOwnAddressInKubeletConf(image: NodeImage): boolean {
  return Number(image.kubernetes.split('.')[1]) >= 33;
}
