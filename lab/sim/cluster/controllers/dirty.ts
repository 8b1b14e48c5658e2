import type { KubeObject } from '../../contracts.ts';
import { uidOf } from '../objects.ts';

/** What a look has to be at: an object's own changes, those of what it owns, and namespaces in which pods changed. */
export interface Concerns {
  readonly object: (object: KubeObject) => boolean;
  readonly namespace: (name: string) => boolean;
}

export interface DirtySet {
  addObject(object: KubeObject): void;
  addAll(): void;
  isClean(): boolean;
  /** What has become dirty since the last time; all of it at first. */
  take(): Concerns;
}

export function createDirtySet(): DirtySet {
  let all = true;
  let uids = new Set<string>();
  let namespaces = new Set<string>();
  return {
    addObject(object) {
      uids.add(uidOf(object));
      for (const { uid } of object.metadata.ownerReferences ?? []) uids.add(uid);
      namespaces.add(object.metadata.namespace ?? '');
    },
    addAll() {
      all = true;
    },
    isClean: () => !all && uids.size === 0,
    take() {
      const taken = { all, uids, namespaces };
      all = false;
      uids = new Set();
      namespaces = new Set();
      return {
        object: (object) => taken.all || taken.uids.has(uidOf(object)),
        namespace: (name) => taken.all || taken.namespaces.has(name),
      };
    },
  };
}
