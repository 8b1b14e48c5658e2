import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { KubeObject, ObjectStore, StoreEvent } from '../contracts.ts';
import { makePod, makeTestStore } from './testing/server.ts';

describe('what is written', () => {
  test('gets a uid, the time and a revision; a name where it only has the beginning of one', () => {
    const store = makeTestStore(() => Date.parse('2026-01-01T00:00:01.900Z'));
    const before = store.revision;
    const pod = store.create('pods', makePod('default', 'a'));
    expect(pod.metadata.uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(pod.metadata.creationTimestamp).toBe('2026-01-01T00:00:01Z');
    expect(pod.metadata.resourceVersion).toBe(String(store.revision));
    expect(store.revision).toBe(before + 1);
    const named = store.create('pods', {
      ...pod,
      metadata: { name: '', generateName: 'web-', namespace: 'default' },
    });
    expect(named.metadata.name).toMatch(/^web-[a-z0-9]{5}$/);
    expect(store.get('pods', 'default', named.metadata.name)).toBe(named);
  });

  test('is a copy that nobody can change', () => {
    const store = makeTestStore();
    const labels: Record<string, string> = { app: 'web' };
    const pod = store.create('pods', makePod('default', 'a', { labels }));
    labels['app'] = 'other';
    expect(store.get('pods', 'default', 'a')?.metadata.labels).toEqual({ app: 'web' });
    expect(() => Object.assign(pod.metadata.labels ?? {}, labels)).toThrow(TypeError);
  });

  test('once only; and only what exists is updated', () => {
    const store = makeTestStore();
    store.create('pods', makePod('default', 'a'));
    expect(() => store.create('pods', makePod('default', 'a'))).toThrow('exists already');
    expect(() => store.update('pods', makePod('default', 'b'))).toThrow('does not exist');
    expect(store.remove('pods', 'default', 'b')).toBeUndefined();
  });

  test('an update without a difference is none; one that changes the spec raises the generation', () => {
    const store = makeTestStore();
    const pod = store.create('pods', makePod('default', 'a'));
    const { revision } = store;
    expect(store.update('pods', makePod('default', 'a'))).toBe(pod);
    expect(store.revision).toBe(revision);
    const status = store.update('pods', { ...pod, status: { phase: 'Failed' } });
    expect(status.metadata).toMatchObject({ generation: 1, uid: pod.metadata.uid });
    const spec = store.update('pods', { ...status, spec: { containers: [] } });
    expect(spec.metadata).toMatchObject({ generation: 2, resourceVersion: String(revision + 2) });
  });

  test('is listed in etcd’s order, of one namespace or all', () => {
    const store = makeTestStore();
    for (const [namespace, name] of [
      ['b', 'x'],
      ['a', 'y'],
      ['a-b', 'z'],
      ['a', 'x'],
    ] as const) {
      store.create('pods', makePod(namespace, name));
    }
    const names = (objects: readonly KubeObject[]) =>
      objects.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
    expect(names(store.list('pods'))).toEqual(['a-b/z', 'a/x', 'a/y', 'b/x']);
    expect(names(store.list('pods', 'a'))).toEqual(['a/x', 'a/y']);
    expect(store.list('nodes')).toEqual([]);
  });
});

describe('watches', () => {
  test('tell of what has happened since, then of what happens, until they are ended', () => {
    const store = makeTestStore();
    store.create('pods', makePod('default', 'a'));
    const since = store.revision;
    store.create('pods', makePod('default', 'b'));
    store.create('nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } });
    const told: string[] = [];
    const stop = store.watch('pods', since, ({ type, object }) => told.push(`${type} ${object.metadata.name}`));
    expect(told).toEqual(['ADDED b']);
    store.remove('pods', 'default', 'a');
    expect(told).toEqual(['ADDED b', 'DELETED a']);
    stop();
    store.remove('pods', 'default', 'b');
    expect(told).toHaveLength(2);
  });

  test('a listener that writes does not change the order for others', () => {
    const store = makeTestStore();
    const told: number[] = [];
    store.watch('pods', store.revision, ({ object }) => {
      if (object.metadata.name === 'a') {
        store.create('pods', makePod('default', 'b'));
        store.watch('pods', 0, ({ revision }) => late.push(revision));
      }
    });
    const late: number[] = [];
    store.watch('pods', store.revision, ({ revision }) => told.push(revision));
    store.create('pods', makePod('default', 'a'));
    expect(told).toEqual([2, 3]);
    expect(late).toEqual([2, 3]);
  });

  test('refuse a revision that is forgotten', () => {
    const store = makeTestStore(() => 0, 2);
    for (const name of ['a', 'b', 'c', 'd', 'e']) store.create('pods', makePod('default', name));
    expect(() => store.watch('pods', 1, () => {})).toThrow(RangeError);
    expect(() => store.watch('pods', store.revision, () => {})).not.toThrow();
    expect(() => store.watch('nodes', 1, () => {})).not.toThrow();
  });

  test('a list and the watch from its revision give what the store holds, whatever happens', () => {
    fc.assert(
      fc.property(fc.array(writes(), { maxLength: 40 }), fc.array(writes(), { maxLength: 40 }), (before, after) => {
        const store = makeTestStore();
        for (const write of before) write(store);
        const objects = new Map(store.list('pods').map((pod) => [keyOf(pod), pod]));
        const follow = ({ type, object }: StoreEvent) => {
          if (type === 'DELETED') objects.delete(keyOf(object));
          else objects.set(keyOf(object), object);
        };
        const { revision } = store;
        for (const write of after.slice(0, 20)) write(store);
        store.watch('pods', revision, follow);
        for (const write of after.slice(20)) write(store);
        expect(objects).toEqual(new Map(store.list('pods').map((pod) => [keyOf(pod), pod])));
      }),
    );
  });
});

function keyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace}/${metadata.name}`;
}

function writes(): fc.Arbitrary<(store: ObjectStore) => void> {
  return fc
    .record({
      act: fc.constantFrom('put', 'remove'),
      namespace: fc.constantFrom('a', 'b'),
      name: fc.constantFrom('x', 'y', 'z'),
      phase: fc.constantFrom('Pending', 'Running'),
    })
    .map(({ act, namespace, name, phase }) => (store) => {
      if (act === 'remove') store.remove('pods', namespace, name);
      else if (store.get('pods', namespace, name) === undefined) {
        store.create('pods', makePod(namespace, name, { phase }));
      } else store.update('pods', makePod(namespace, name, { phase }));
    });
}
