/** The resources that the simulated API server knows, as the real one's discovery tells of them. */

export type Subresource = 'status' | 'scale' | 'log' | 'eviction';

export interface ApiResource {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: readonly Subresource[];
}

type Details = Partial<Pick<ApiResource, 'shortNames' | 'categories' | 'subresources'>>;

export const resources: readonly ApiResource[] = [
  ...inGroup('', [
    define('nodes', 'Node', false, { shortNames: ['no'], subresources: ['status'] }),
    define('pods', 'Pod', true, {
      shortNames: ['po'],
      categories: ['all'],
      subresources: ['status', 'log', 'eviction'],
    }),
    define('namespaces', 'Namespace', false, { shortNames: ['ns'], subresources: ['status'] }),
    define('services', 'Service', true, { shortNames: ['svc'], categories: ['all'], subresources: ['status'] }),
    define('endpoints', 'Endpoints', true, { shortNames: ['ep'] }),
    define('configmaps', 'ConfigMap', true, { shortNames: ['cm'] }),
    define('secrets', 'Secret', true),
    define('persistentvolumes', 'PersistentVolume', false, { shortNames: ['pv'], subresources: ['status'] }),
    define('persistentvolumeclaims', 'PersistentVolumeClaim', true, {
      shortNames: ['pvc'],
      subresources: ['status'],
    }),
    define('serviceaccounts', 'ServiceAccount', true, { shortNames: ['sa'] }),
    define('events', 'Event', true, { shortNames: ['ev'] }),
  ]),
  ...inGroup('apps', [
    define('deployments', 'Deployment', true, workload('deploy')),
    define('daemonsets', 'DaemonSet', true, { ...workload('ds'), subresources: ['status'] }),
    define('statefulsets', 'StatefulSet', true, workload('sts')),
    define('replicasets', 'ReplicaSet', true, workload('rs')),
  ]),
  ...inGroup('batch', [define('jobs', 'Job', true, { categories: ['all'], subresources: ['status'] })]),
  ...inGroup('coordination.k8s.io', [define('leases', 'Lease', true)]),
  ...inGroup('discovery.k8s.io', [define('endpointslices', 'EndpointSlice', true)]),
  ...inGroup('networking.k8s.io', [
    define('ingresses', 'Ingress', true, { shortNames: ['ing'], subresources: ['status'] }),
    define('ingressclasses', 'IngressClass', false),
  ]),
  ...inGroup('storage.k8s.io', [define('storageclasses', 'StorageClass', false, { shortNames: ['sc'] })]),
  ...inGroup('admissionregistration.k8s.io', [
    define('validatingwebhookconfigurations', 'ValidatingWebhookConfiguration', false, {
      categories: ['api-extensions'],
    }),
    define('mutatingwebhookconfigurations', 'MutatingWebhookConfiguration', false, {
      categories: ['api-extensions'],
    }),
  ]),
];

/** The resource's name in the store and in messages: `pods`, `deployments.apps`. */
export function nameResource(resource: Pick<ApiResource, 'group' | 'plural'>): string {
  return resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`;
}

export function nameGroupVersion(resource: Pick<ApiResource, 'group' | 'version'>): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
}

export function findResource(group: string, version: string, plural: string): ApiResource | undefined {
  return resources.find(
    (resource) => resource.group === group && resource.version === version && resource.plural === plural,
  );
}

function inGroup(group: string, members: readonly Omit<ApiResource, 'group' | 'version'>[]): ApiResource[] {
  return members.map((member) => ({ ...member, group, version: 'v1' }));
}

function define(
  plural: string,
  kind: string,
  namespaced: boolean,
  details: Details = {},
): Omit<ApiResource, 'group' | 'version'> {
  return { plural, kind, namespaced, shortNames: [], categories: [], subresources: [], ...details };
}

function workload(shortName: string): Details {
  return { shortNames: [shortName], categories: ['all'], subresources: ['status', 'scale'] };
}
