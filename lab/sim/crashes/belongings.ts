import { readFileSync, statSync } from 'node:fs';
import type { FileEntry } from '../files.ts';
import type { SimStage } from '../laboratory/stage.ts';

/** A file as it was; entries are never changed in place, so that keeping them costs nothing. */
export type KeptFile = Pick<FileEntry, 'contents' | 'mode' | 'uid' | 'gid'>;

/** By `NODE:PATH`, and the kubeconfig by its path on the host. */
export type KeptFiles = ReadonlyMap<string, KeptFile>;

export interface Belongings {
  readonly revision: number;
  /** `resource namespace/name` to what must stay of it. */
  readonly objects: ReadonlyMap<string, string>;
  readonly files: KeptFiles;
}

/** What the user has made, or what everything else in the cluster belongs to. */
const keptResources = [
  'namespaces',
  'nodes',
  'configmaps',
  'secrets',
  'serviceaccounts',
  'services',
  'persistentvolumes',
  'persistentvolumeclaims',
  'deployments.apps',
  'daemonsets.apps',
  'statefulsets.apps',
] as const;

export function recordBelongings(stage: SimStage): Belongings {
  const { store } = stage.simCluster;
  const objects = keptResources.flatMap((resource) =>
    store.list(resource).map(({ metadata: { namespace = '', name, uid }, spec, data }): [string, string] => [
      `${resource} ${namespace}/${name}`,
      // A node's spec is the controllers' as well: taints come and go.
      JSON.stringify(resource === 'nodes' ? [uid] : [uid, spec, data]),
    ]),
  );
  return { revision: store.revision, objects: new Map(objects), files: recordFiles(stage) };
}

/** Every file of every node and the kubeconfig. */
export function recordFiles({ world, visitor }: SimStage): KeptFiles {
  const files = new Map<string, KeptFile>();
  for (const { guests } of world.clusters.values())
    for (const [node, guest] of guests)
      for (const { path, entry } of guest.files.walk('/'))
        if (entry.type === 'file' && !passing.test(path)) files.set(`${node}:${path}`, entry);
  try {
    const { mode, uid, gid } = statSync(visitor.kubeconfig);
    files.set(visitor.kubeconfig, { contents: readFileSync(visitor.kubeconfig), mode: mode & 0o7777, uid, gid });
  } catch {
    // There is none at the moment.
  }
  return files;
}

/** Gone with every stop of the container. */
const passing = /^\/(run|tmp|proc)\//;

/**
 * What Docker and the node's own boot write, and what a heal may write: the entrypoint's list, the API server's
 * certificate, the files that hold a name server or an address.
 */
const changeable = new RegExp(
  `^(${[
    '/etc/(hosts|hostname|resolv\\.conf|resolv\\.conf\\.original)',
    '/kind/(old-ipv[46]|kubeadm\\.conf)',
    '/etc/kubernetes/(kubelet|controller-manager|scheduler)\\.conf',
    '/etc/kubernetes/manifests/(etcd|kube-apiserver|kube-controller-manager|kube-scheduler)\\.yaml',
    '/etc/kubernetes/pki/apiserver\\.(crt|key)',
    '/var/lib/kubelet/kubeadm-flags\\.env',
    '/home/envoy/(cds|lds)\\.yaml',
    '/kind/lab-entrypoint',
  ].join('|')})$`,
);

/** What of the user's is not as it was. `damaged`: files that the faults themselves have changed. */
export function findLosses(before: Belongings, after: Belongings, damaged: ReadonlySet<string>): string[] {
  const losses: string[] = [];
  if (after.revision < before.revision)
    losses.push(`etcd went back from revision ${before.revision} to ${after.revision}`);
  for (const [name, value] of before.objects) {
    const now = after.objects.get(name);
    if (now === undefined) losses.push(`${name} is gone`);
    else if (now !== value) losses.push(`${name} was ${value} and is ${now}`);
  }
  for (const [name, file] of before.files) {
    const now = after.files.get(name);
    if (damaged.has(name) || mayChange(name) || isSame(file, now)) continue;
    losses.push(now === undefined ? `the file ${name} is gone` : `the file ${name} is not as it was`);
  }
  const nodes = new Set([...before.files.keys()].map(nodeOf));
  for (const name of after.files.keys()) {
    // The cluster of a neighbour may have been made meanwhile.
    if (before.files.has(name) || damaged.has(name) || mayChange(name) || !nodes.has(nodeOf(name))) continue;
    losses.push(`there is a new file ${name}`);
  }
  return losses;
}

/** Empty for a file of the host. */
function nodeOf(name: string): string {
  return name.startsWith('/') ? '' : name.slice(0, name.indexOf(':'));
}

function mayChange(name: string): boolean {
  const cut = name.indexOf(':');
  // The kubeconfig of this host is judged by what heal and undo say of it.
  return cut < 0 || changeable.test(name.slice(cut + 1));
}

export function isSame(one: KeptFile | undefined, other: KeptFile | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  if (one === other) return true;
  return (
    one.mode === other.mode && one.uid === other.uid && one.gid === other.gid && one.contents.equals(other.contents)
  );
}
