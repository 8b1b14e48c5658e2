import type { ApiFacts, ApiNodeFacts } from '../../facts/api.ts';
import { type Observed, seen, unseen } from '../../facts/observed.ts';
import type { KubeApi, KubeRequestOptions } from '../../kube/port.ts';
import { messageOf } from './containers.ts';

/** A half-dead API server is the normal case here: a list that takes longer is no answer. */
const listTimeoutMs = 5_000;

export const nodesPath = '/api/v1/nodes';
/** Leases of all namespaces: those of the kubelets and those of the two controllers, in one list. */
export const leasesPath = '/apis/coordination.k8s.io/v1/leases';

interface NodeObject {
  readonly metadata: { readonly name: string };
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
      readonly lastTransitionTime?: string;
    }[];
    readonly addresses?: readonly { readonly type: string; readonly address: string }[];
  };
}

interface LeaseObject {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec?: { readonly holderIdentity?: string; readonly renewTime?: string };
}

/** The cluster's objects in a fixed number of lists, whatever its size. Never rejects. */
export async function gatherApi(kube: KubeApi, signal: AbortSignal): Promise<Observed<ApiFacts>> {
  try {
    const options = { timeoutMs: listTimeoutMs, signal };
    const [nodes, leases, unready] = await Promise.all([
      kube.get(nodesPath, options),
      kube.get(leasesPath, options),
      askUnready(kube, options),
    ]);
    const leaseList = itemsOf<LeaseObject>(leases);
    const find = (namespace: string, name: string) =>
      leaseList.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name)?.spec;
    const controllerLease = (name: string): ApiFacts['schedulerLease'] => {
      const lease = find('kube-system', name);
      return lease?.renewTime === undefined
        ? unseen('it has no lease')
        : seen({ holder: lease.holderIdentity ?? '', renewedAt: lease.renewTime });
    };
    return seen({
      via: kube.via,
      portFailure: '',
      unready,
      endpoint: kube.endpoint,
      nodes: itemsOf<NodeObject>(nodes).map((node) =>
        toNodeFacts(node, find('kube-node-lease', node.metadata.name)?.renewTime ?? null),
      ),
      controllerManagerLease: controllerLease('kube-controller-manager'),
      schedulerLease: controllerLease('kube-scheduler'),
    });
  } catch (error) {
    return unseen(messageOf(error));
  }
}

/** Why the server is not ready; empty where it is. Of /readyz's long list only what failed is told. */
export async function askUnready(kube: KubeApi, options: KubeRequestOptions): Promise<string> {
  try {
    await kube.get('/readyz', options);
    return '';
  } catch (error) {
    const message = messageOf(error);
    const failed = [...message.matchAll(/\[-\](\S+)/g)].map(([, check]) => check);
    return failed.length === 0 ? message : `${failed.join(', ')} failed`;
  }
}

export function toNodeFacts(node: NodeObject, leaseRenewedAt: string | null): ApiNodeFacts {
  const ready = node.status?.conditions?.find(({ type }) => type === 'Ready');
  return {
    name: node.metadata.name,
    ready: ready?.status ?? '',
    readyReason: ready?.reason ?? '',
    readySince: ready?.lastTransitionTime ?? '',
    internalAddresses: (node.status?.addresses ?? [])
      .filter(({ type }) => type === 'InternalIP')
      .map(({ address }) => address),
    leaseRenewedAt,
  };
}

export function itemsOf<T>(list: unknown): readonly T[] {
  return (list as { readonly items?: readonly T[] }).items ?? [];
}
