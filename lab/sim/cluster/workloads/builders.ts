import type { KubeObject } from '../../contracts.ts';
import { ensureObject, type Labels, type PodSpec } from '../objects.ts';
import type { ClusterWorld } from '../world.ts';

export interface WorkloadOptions {
  readonly namespace: string;
  readonly name: string;
  readonly image: string;
  readonly replicas?: number;
  readonly labels?: Labels;
  readonly spec?: Partial<PodSpec>;
  /** Joined to the only container. */
  readonly container?: Readonly<Record<string, unknown>>;
  /** Port of the service of the same name; none without. */
  readonly port?: number;
  readonly serviceName?: string;
  readonly claims?: readonly string[];
}

const kinds = { Deployment: 'deployments.apps', DaemonSet: 'daemonsets.apps', StatefulSet: 'statefulsets.apps' };

/** A workload of one container, its namespace, and its service. */
export function addWorkload(world: ClusterWorld, kind: keyof typeof kinds, options: WorkloadOptions): void {
  const { namespace, name, image, replicas = 1, labels = { app: name }, port } = options;
  ensureNamespace(world, namespace);
  const container = { name, image, imagePullPolicy: 'IfNotPresent', resources: {}, ...options.container };
  ensureObject(world.store, kinds[kind], {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name, namespace, labels },
    spec: {
      ...(kind === 'DaemonSet' ? {} : { replicas }),
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { ...options.spec, containers: [container] } },
      ...(kind === 'StatefulSet' ? { serviceName: options.serviceName ?? name } : {}),
      ...(options.claims === undefined
        ? {}
        : {
            volumeClaimTemplates: options.claims.map((claim) => ({
              metadata: { name: claim },
              spec: {
                accessModes: ['ReadWriteOnce'],
                resources: { requests: { storage: '1Gi' } },
                storageClassName: 'standard',
              },
            })),
          }),
    },
  });
  if (port !== undefined)
    addService(world, { namespace, name: options.serviceName ?? name, labels, selector: labels, port });
}

export function addService(
  world: ClusterWorld,
  options: {
    readonly namespace: string;
    readonly name: string;
    readonly labels?: Labels;
    readonly selector?: Labels;
    readonly port: number;
    readonly clusterIp?: string;
  },
): KubeObject {
  const { namespace, name, labels = {}, selector, port } = options;
  const { random } = world.context;
  const clusterIP = options.clusterIp ?? `10.96.${Math.floor(random() * 256)}.${1 + Math.floor(random() * 254)}`;
  return ensureObject(world.store, 'services', {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace, labels },
    spec: {
      clusterIP,
      clusterIPs: [clusterIP],
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      ports: [{ name: 'http', port, protocol: 'TCP', targetPort: port }],
      ...(selector === undefined ? {} : { selector }),
      type: 'ClusterIP',
    },
  });
}

export function ensureNamespace(world: ClusterWorld, name: string): void {
  ensureObject(world.store, 'namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels: { 'kubernetes.io/metadata.name': name } },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  });
}
