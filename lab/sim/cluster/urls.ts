import type { KubeObject } from '../contracts.ts';
import { specOf } from './objects.ts';
import { type ClusterWorld, findMachine } from './world.ts';

export type UrlStatus = 200 | 404 | 502 | 503 | 'refused';

interface IngressRule {
  readonly host?: string;
  readonly http?: {
    readonly paths?: readonly { readonly backend?: { readonly service?: { readonly name?: string } } }[];
  };
}

/**
 * What a browser sees of a host of the cluster's ingresses: published port, the ingress controller on that node, the
 * backend's endpoints. What the controller knows of endpoints is what the API said last.
 */
export function readUrlStatus(world: ClusterWorld, host: string): UrlStatus {
  const controllers = [...world.pods.all()].filter(
    ({ metadata }) => metadata.labels?.['app.kubernetes.io/name'] === 'ingress-nginx',
  );
  const serving = controllers.some((pod) => runs(world, pod));
  if (!serving) return 'refused';
  const ingress = world.store
    .list('ingresses.networking.k8s.io')
    .find((object) => rulesOf(object).some((rule) => rule.host === host));
  const rule = ingress === undefined ? undefined : rulesOf(ingress).find((entry) => entry.host === host);
  const service = rule?.http?.paths?.[0]?.backend?.service?.name;
  if (ingress === undefined || service === undefined) return 404;
  const { namespace } = ingress.metadata;
  const endpoints = world.store.get('endpoints', namespace, service);
  const subsets = (endpoints?.['subsets'] ?? []) as readonly {
    readonly addresses?: readonly { readonly targetRef?: { readonly name?: string } }[];
  }[];
  const names = subsets.flatMap(({ addresses = [] }) => addresses.map(({ targetRef }) => targetRef?.name ?? ''));
  if (names.length === 0) return 503;
  // An endpoint whose pod does not answer, though the API still calls it ready.
  return names.some((name) => {
    const pod = world.store.get('pods', namespace, name);
    return pod !== undefined && runs(world, pod);
  })
    ? 200
    : 502;
}

/** Whether the pod's container really runs and serves, whatever the API says. */
function runs(world: ClusterWorld, pod: KubeObject): boolean {
  const node = specOf(pod).nodeName ?? '';
  if (findMachine(world, node)?.running() !== true) return false;
  const containers = world.runtimes.get(node)?.list() ?? [];
  return containers.some(
    ({ podUid, state, program }) => podUid === pod.metadata.uid && state === 'running' && program.ready(),
  );
}

function rulesOf(ingress: KubeObject): readonly IngressRule[] {
  return (ingress.spec as { readonly rules?: readonly IngressRule[] }).rules ?? [];
}
