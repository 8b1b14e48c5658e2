import type { KubeObject, ObjectStore, StoreEvent } from '../contracts.ts';
import { controllerOf, specOf, uidOf } from './objects.ts';

/** The pods of a cluster by node and by owner, kept by one watch, so that nobody has to walk through all of them. */
export interface PodIndex {
  onNode(node: string): readonly KubeObject[];
  ownedBy(ownerUid: string): readonly KubeObject[];
  /** Pods without a node. */
  unbound(): readonly KubeObject[];
  all(): Iterable<KubeObject>;
  /** Told of each change of a pod of that node. */
  follow(node: string, listener: (event: StoreEvent) => void): () => void;
  /** Told of each change of any pod. */
  followAll(listener: (event: StoreEvent) => void): () => void;
}

export function createPodIndex(store: ObjectStore): PodIndex {
  const byUid = new Map<string, KubeObject>();
  const byNode = new Map<string, Map<string, KubeObject>>();
  const byOwner = new Map<string, Map<string, KubeObject>>();
  const followers = new Map<string, Set<(event: StoreEvent) => void>>();
  const everybody = new Set<(event: StoreEvent) => void>();

  const nodeOf = (pod: KubeObject) => specOf(pod).nodeName ?? '';

  function drop(pod: KubeObject): void {
    byUid.delete(uidOf(pod));
    byNode.get(nodeOf(pod))?.delete(uidOf(pod));
    byOwner.get(controllerOf(pod) ?? '')?.delete(uidOf(pod));
  }

  function put(pod: KubeObject): void {
    const old = byUid.get(uidOf(pod));
    if (old !== undefined) drop(old);
    byUid.set(uidOf(pod), pod);
    insert(byNode, nodeOf(pod), pod);
    insert(byOwner, controllerOf(pod) ?? '', pod);
  }

  for (const pod of store.list('pods')) put(pod);
  store.watch('pods', store.revision, (event) => {
    if (event.type === 'DELETED') drop(event.object);
    else put(event.object);
    for (const listener of followers.get(nodeOf(event.object)) ?? []) listener(event);
    for (const listener of everybody) listener(event);
  });

  return {
    onNode: (node) => [...(byNode.get(node)?.values() ?? [])],
    ownedBy: (ownerUid) => [...(byOwner.get(ownerUid)?.values() ?? [])],
    unbound: () => [...(byNode.get('')?.values() ?? [])],
    all: () => byUid.values(),
    follow(node, listener) {
      const listeners = followers.get(node) ?? new Set();
      followers.set(node, listeners.add(listener));
      return () => listeners.delete(listener);
    },
    followAll(listener) {
      everybody.add(listener);
      return () => everybody.delete(listener);
    },
  };
}

function insert(map: Map<string, Map<string, KubeObject>>, key: string, pod: KubeObject): void {
  const group = map.get(key) ?? new Map<string, KubeObject>();
  map.set(key, group.set(uidOf(pod), pod));
}
