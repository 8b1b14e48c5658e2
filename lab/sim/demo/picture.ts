import type { DemoPicture, DemoRemainder } from '../../../src/cli/documents.ts';
import { digNumber, digList, digText } from '../api/json.ts';
import { readNodeStatus } from '../api/node-columns.ts';
import { readPodReady, readPodStatus } from '../api/pod-columns.ts';
import { groupBy } from '../cluster/objects.ts';
import type { SimCluster } from '../cluster-of-world.ts';
import type { KubeObject } from '../contracts.ts';
import type { SimWorld } from '../world.ts';

/** What kubectl, Docker and a browser would show of the cluster now. Pods that are well are left out. */
export function takePicture(world: SimWorld, cluster: SimCluster): DemoPicture {
  const { store } = cluster;
  return {
    nodes: store.list('nodes').map((node) => ({
      name: node.metadata.name,
      status: readNodeStatus(node),
      internalAddress: readInternalAddress(node),
      dockerAddress: world.docker.interfaces(node.metadata.name)[0]?.ipv4 ?? '',
    })),
    pods: store
      .list('pods')
      .filter((pod) => !isWell(pod))
      .map((pod) => ({
        namespace: pod.metadata.namespace ?? '',
        name: pod.metadata.name,
        workload: nameWorkload(cluster, pod),
        ready: readPodReady(pod),
        status: readPodStatus(pod),
        restarts: digList(pod.status, 'containerStatuses').reduce<number>(
          (sum, container) => sum + digNumber(container, 'restartCount'),
          0,
        ),
        node: digText(pod.spec, 'nodeName'),
        lastWords: readLastWords(cluster, pod),
      })),
    urls: listHosts(cluster).map((host) => {
      const answer = cluster.model.urlStatus(host);
      return { host, answer: answer === 'refused' ? null : answer };
    }),
  };
}

/** Workloads with pods that are not well, and whether that was so before the crash. */
export function listRemaining(before: DemoPicture, after: DemoPicture): DemoRemainder[] {
  const keyOf = ({ namespace, workload }: DemoPicture['pods'][number]) => `${namespace}/${workload}`;
  const old = new Set(before.pods.map(keyOf));
  const groups = groupBy(after.pods, keyOf);
  return [...groups].map(([workload, pods]) => ({
    workload,
    pods: pods.length,
    status: [
      ...new Set(pods.map(({ status, ready }) => (status === 'Running' ? `Running, ${ready} ready` : status))),
    ].join(', '),
    lastWords: pods.map(({ lastWords }) => lastWords).find((words) => words !== '') ?? '',
    beforeTheCrash: old.has(workload),
  }));
}

function isWell(pod: KubeObject): boolean {
  const status = readPodStatus(pod);
  if (status === 'Completed') return true;
  const [ready, total] = readPodReady(pod).split('/');
  return status === 'Running' && ready === total;
}

function readInternalAddress({ status }: KubeObject): string {
  const found = digList(status, 'addresses').find((address) => digText(address, 'type') === 'InternalIP');
  return digText(found, 'address');
}

function listHosts({ store }: SimCluster): string[] {
  return store
    .list('ingresses.networking.k8s.io')
    .flatMap(({ spec }) => digList(spec, 'rules'))
    .map((rule) => digText(rule, 'host'))
    .toSorted();
}

/** A Deployment's pods belong to one of its replica sets. */
function nameWorkload({ store }: SimCluster, pod: KubeObject): string {
  const [owner] = pod.metadata.ownerReferences ?? [];
  if (owner?.kind !== 'ReplicaSet') return owner?.name ?? pod.metadata.name;
  const set = store.get('replicasets.apps', pod.metadata.namespace, owner.name);
  return set?.metadata.ownerReferences?.[0]?.name ?? owner.name;
}

/** The last line that a container of the pod has written, as the node's own runtime has it; klog's prefix left out. */
function readLastWords({ model, guests }: SimCluster, pod: KubeObject): string {
  const guest = guests.get(digText(pod.spec, 'nodeName'));
  if (guest === undefined) return '';
  const containers = model.processesOf(guest.machine).containers() ?? [];
  const logs = containers
    .filter(({ podUid, log }) => podUid === pod.metadata.uid && log.length > 0)
    .toSorted((one, other) => other.createdAt - one.createdAt);
  return (logs[0]?.log.at(-1) ?? '').replace(/^[IWEF]\d{4} [\d:.]+ +\d+ \S+\] /, '');
}
