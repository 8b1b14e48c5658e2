import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isEqualJson } from './json.ts';
import { applyJsonPatch, applyMergePatch, PatchError } from './json-patch.ts';
import { applyStrategicPatch } from './strategic-patch.ts';

describe('JSON patch', () => {
  test.each([
    ['add to a list’s end', { a: [1] }, [{ op: 'add', path: '/a/-', value: 2 }], { a: [1, 2] }],
    ['add in a list', { a: [1, 3] }, [{ op: 'add', path: '/a/1', value: 2 }], { a: [1, 2, 3] }],
    ['escaped names', { l: {} }, [{ op: 'add', path: '/l/k8s.io~1a~0b', value: 'x' }], { l: { 'k8s.io/a~b': 'x' } }],
    [
      'remove',
      { a: 1, b: [1, 2] },
      [
        { op: 'remove', path: '/a' },
        { op: 'remove', path: '/b/0' },
      ],
      { b: [2] },
    ],
    ['replace', { a: { b: 1 } }, [{ op: 'replace', path: '/a/b', value: [2] }], { a: { b: [2] } }],
    ['replace all', { a: 1 }, [{ op: 'replace', path: '', value: { b: 2 } }], { b: 2 }],
    ['move', { a: 1 }, [{ op: 'move', from: '/a', path: '/b' }], { b: 1 }],
    ['copy', { a: [1] }, [{ op: 'copy', from: '/a', path: '/b' }], { a: [1], b: [1] }],
    ['test', { a: { b: [1] } }, [{ op: 'test', path: '/a', value: { b: [1] } }], { a: { b: [1] } }],
  ])('%s', (_name, document, patch, result) => {
    const before = structuredClone(document);
    expect(applyJsonPatch(document, patch)).toEqual(result);
    expect(document).toEqual(before);
  });

  test.each([
    ['a test that fails', [{ op: 'test', path: '/a', value: 2 }]],
    ['a path that is not there', [{ op: 'replace', path: '/b', value: 2 }]],
    ['a parent that is not there', [{ op: 'add', path: '/b/c', value: 2 }]],
    ['an index out of bounds', [{ op: 'add', path: '/list/5', value: 2 }]],
    ['an index that is none', [{ op: 'add', path: '/list/x', value: 2 }]],
    ['an unknown operation', [{ op: 'change', path: '/a' }]],
    ['no list', { op: 'add', path: '/a', value: 1 }],
  ])('%s is refused', (_name, patch) => {
    expect(() => applyJsonPatch({ a: 1, list: [] }, patch)).toThrow(PatchError);
  });
});

describe('merge patch', () => {
  test('merges objects, replaces lists, and removes what is null', () => {
    const document = { a: { b: 1, c: 2 }, list: [1, 2], d: 1 };
    expect(applyMergePatch(document, { a: { b: null, e: 3 }, list: [3], d: { f: null, g: 1 } })).toEqual({
      a: { c: 2, e: 3 },
      list: [3],
      d: { g: 1 },
    });
  });

  test('the same patch twice is the same as once', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (document, patch) => {
        const once = applyMergePatch(document, patch);
        expect(isEqualJson(applyMergePatch(once, patch), once)).toBe(true);
      }),
    );
  });
});

describe('strategic merge patch', () => {
  test('knows containers by their names, ports by their numbers, conditions by their types', () => {
    const document = {
      spec: {
        containers: [
          { name: 'a', image: '1', ports: [{ containerPort: 80, name: 'http' }], args: ['x'] },
          { name: 'b', image: '1' },
        ],
        tolerations: [{ key: 'x' }],
      },
      status: { conditions: [{ type: 'Ready', status: 'True', reason: 'r' }] },
    };
    const patch = {
      spec: {
        containers: [{ name: 'a', image: '2', ports: [{ containerPort: 80, name: 'web' }, { containerPort: 81 }] }],
        tolerations: [{ key: 'y' }],
      },
      status: { conditions: [{ type: 'Ready', status: 'False' }, { type: 'New' }] },
    };
    expect(applyStrategicPatch(document, patch)).toEqual({
      spec: {
        containers: [
          { name: 'a', image: '2', ports: [{ containerPort: 80, name: 'web' }, { containerPort: 81 }], args: ['x'] },
          { name: 'b', image: '1' },
        ],
        tolerations: [{ key: 'y' }],
      },
      status: { conditions: [{ type: 'Ready', status: 'False', reason: 'r' }, { type: 'New' }] },
    });
  });

  test('follows directives', () => {
    const document = {
      metadata: { finalizers: ['a', 'b'], labels: { x: '1' } },
      spec: { containers: [{ name: 'a' }, { name: 'b' }], strategy: { type: 'RollingUpdate', rollingUpdate: {} } },
    };
    const patch = {
      metadata: { '$deleteFromPrimitiveList/finalizers': ['a'], labels: { $patch: 'replace', y: '2' } },
      spec: {
        containers: [{ name: 'a', $patch: 'delete' }],
        '$setElementOrder/containers': [{ name: 'b' }],
        strategy: { $retainKeys: ['type'], type: 'Recreate' },
      },
    };
    expect(applyStrategicPatch(document, patch)).toEqual({
      metadata: { finalizers: ['b'], labels: { y: '2' } },
      spec: { containers: [{ name: 'b' }], strategy: { type: 'Recreate' } },
    });
    expect(applyStrategicPatch(document, { metadata: { finalizers: ['b', 'c'] } })).toMatchObject({
      metadata: { finalizers: ['a', 'b', 'c'] },
    });
  });
});
