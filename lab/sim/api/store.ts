import { makeSuffix, makeUuid } from '../random.ts';
import type { KubeObject, ObjectStore, StoreEvent } from '../contracts.ts';
import { createFreezer, dig, isEqualJson } from './json.ts';

export interface ObjectStoreOptions {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Between 0 and 1; for uids and generated names. */
  readonly random: () => number;
  /** How many changes of each resource are remembered at least; 10,000 by default. */
  readonly historyLimit?: number;
}

/** What this store tells its watchers: what the object was before, too, so that a list can be turned back. */
export interface StoredEvent extends StoreEvent {
  readonly previous: KubeObject | undefined;
}

interface Watcher {
  /** The last revision it was told of: a change may be both remembered and still on its way. */
  told: number;
  readonly listener: (event: StoreEvent) => void;
}

interface Collection {
  readonly objects: Map<string, KubeObject>;
  /** In etcd's order, as are the values. */
  readonly keys: string[];
  readonly values: KubeObject[];
  /** What was given out as the list of all: a copy of the values, until they change. */
  listed: readonly KubeObject[] | undefined;
  events: StoredEvent[];
  /** Changes up to this revision are forgotten. */
  horizon: number;
  readonly watchers: Set<Watcher>;
}

/** Resources whose `metadata.generation` counts the changes of what is wanted. */
const COUNTED: ReadonlySet<string> = new Set([
  'pods',
  'deployments.apps',
  'daemonsets.apps',
  'statefulsets.apps',
  'replicasets.apps',
  'jobs.batch',
  'ingresses.networking.k8s.io',
  'ingressclasses.networking.k8s.io',
  'validatingwebhookconfigurations.admissionregistration.k8s.io',
  'mutatingwebhookconfigurations.admissionregistration.k8s.io',
]);

/** Objects come out deeply frozen, and go in as copies; listeners are told in the order of the revisions. */
export function createObjectStore(options: ObjectStoreOptions): ObjectStore {
  const collections = new Map<string, Collection>();
  const historyLimit = options.historyLimit ?? 10_000;
  const freeze = createFreezer();
  const outbox: { readonly collection: Collection; readonly event: StoredEvent }[] = [];
  let revision = 1;
  let telling = false;

  function collectionOf(resource: string): Collection {
    const known = collections.get(resource);
    if (known !== undefined) return known;
    const made: Collection = {
      objects: new Map(),
      keys: [],
      values: [],
      listed: undefined,
      events: [],
      horizon: 0,
      watchers: new Set(),
    };
    collections.set(resource, made);
    return made;
  }

  function record(collection: Collection, event: StoredEvent): void {
    collection.listed = undefined;
    collection.events.push(event);
    if (collection.events.length >= 2 * historyLimit) {
      const dropped = collection.events.splice(0, collection.events.length - historyLimit);
      collection.horizon = dropped.at(-1)?.revision ?? collection.horizon;
    }
    outbox.push({ collection, event });
    if (!telling) tell();
  }

  /** A listener may write: what follows from a change is told after the change, to everybody. */
  function tell(): void {
    telling = true;
    try {
      for (let next = outbox.shift(); next !== undefined; next = outbox.shift()) {
        for (const watcher of Array.from(next.collection.watchers)) {
          if (!next.collection.watchers.has(watcher) || watcher.told >= next.event.revision) continue;
          watcher.told = next.event.revision;
          watcher.listener(next.event);
        }
      }
    } finally {
      telling = false;
    }
  }

  return {
    get revision() {
      return revision;
    },
    list(resource, namespace) {
      const collection = collectionOf(resource);
      if (namespace === undefined) {
        collection.listed ??= collection.values.slice();
        return collection.listed;
      }
      // "0" is the character after "/".
      return collection.values.slice(
        findPlace(collection.keys, `${namespace}/`),
        findPlace(collection.keys, `${namespace}0`),
      );
    },
    get: (resource, namespace, name) => collectionOf(resource).objects.get(makeKey(namespace, name)),
    create(resource, object) {
      const collection = collectionOf(resource);
      const name = object.metadata.name || makeName(object, options.random);
      const key = makeKey(object.metadata.namespace, name);
      if (collection.objects.has(key)) {
        throw new Error(`${resource} "${name}" exists already, so it cannot be created. Update it instead.`);
      }
      revision += 1;
      const created = freeze({
        ...object,
        metadata: {
          ...object.metadata,
          name,
          uid: object.metadata.uid ?? makeUuid(options.random),
          creationTimestamp: object.metadata.creationTimestamp ?? formatTime(options.now()),
          ...(COUNTED.has(resource) ? { generation: 1 } : {}),
          resourceVersion: String(revision),
        },
      });
      collection.objects.set(key, created);
      const place = findPlace(collection.keys, key);
      collection.keys.splice(place, 0, key);
      collection.values.splice(place, 0, created);
      record(collection, { type: 'ADDED', object: created, revision, previous: undefined });
      return created;
    },
    update(resource, object) {
      const collection = collectionOf(resource);
      const key = makeKey(object.metadata.namespace, object.metadata.name);
      const old = collection.objects.get(key);
      if (old === undefined) {
        throw new Error(`${resource} "${key}" does not exist, so it cannot be updated. Create it first.`);
      }
      const { uid, creationTimestamp, resourceVersion } = old.metadata;
      const generation = old.metadata['generation'];
      const kept = { uid, creationTimestamp, resourceVersion, ...(generation === undefined ? {} : { generation }) };
      const wanted = { ...object, metadata: { ...object.metadata, ...kept } } as KubeObject;
      if (isEqualJson(old, wanted)) return old;
      revision += 1;
      const counts = typeof generation === 'number' && !isEqualJson(old.spec, wanted.spec);
      const updated = freeze({
        ...wanted,
        metadata: {
          ...wanted.metadata,
          ...(counts ? { generation: generation + 1 } : {}),
          resourceVersion: String(revision),
        },
      });
      collection.objects.set(key, updated);
      collection.values[findPlace(collection.keys, key)] = updated;
      record(collection, { type: 'MODIFIED', object: updated, revision, previous: old });
      return updated;
    },
    remove(resource, namespace, name) {
      const collection = collectionOf(resource);
      const key = makeKey(namespace, name);
      const old = collection.objects.get(key);
      if (old === undefined) return undefined;
      revision += 1;
      const removed = freeze({ ...old, metadata: { ...old.metadata, resourceVersion: String(revision) } });
      collection.objects.delete(key);
      const place = findPlace(collection.keys, key);
      collection.keys.splice(place, 1);
      collection.values.splice(place, 1);
      record(collection, { type: 'DELETED', object: removed, revision, previous: old });
      return removed;
    },
    watch(resource, since, listener) {
      const collection = collectionOf(resource);
      if (since < collection.horizon) {
        throw new RangeError(
          `Changes of ${resource} after revision ${since} are forgotten: the oldest known is after ${collection.horizon}. List them again.`,
        );
      }
      const watcher: Watcher = { told: since, listener };
      collection.watchers.add(watcher);
      for (let at = findEvent(collection.events, since); at < collection.events.length; at++) {
        const event = collection.events[at];
        if (event === undefined || event.revision <= watcher.told) continue;
        watcher.told = event.revision;
        listener(event);
      }
      return () => {
        collection.watchers.delete(watcher);
      };
    },
  };
}

function makeKey(namespace: string | undefined, name: string): string {
  return `${namespace ?? ''}/${name}`;
}

/** Where the key stands, or would stand, in the sorted list. */
function findPlace(keys: readonly string[], key: string): number {
  let [low, high] = [0, keys.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((keys[middle] ?? '') < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The first event after the revision. */
function findEvent(events: readonly StoredEvent[], since: number): number {
  let [low, high] = [0, events.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((events[middle]?.revision ?? 0) <= since) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** As metav1.Time is written: whole seconds. */
export function formatTime(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}

function makeName(object: KubeObject, random: () => number): string {
  const base = dig(object.metadata, 'generateName');
  if (typeof base !== 'string' || base === '') throw new Error('An object needs a name, or a generateName.');
  return `${base}${makeSuffix(random)}`;
}
