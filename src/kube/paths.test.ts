import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildPath, isCollectionPath, parsePath, readQuery, type ResourcePath, withQuery } from './paths.ts';

test.each<[string, ResourcePath]>([
  ['/api/v1/nodes', { group: '', version: 'v1', resource: 'nodes' }],
  ['/api/v1/namespaces', { group: '', version: 'v1', resource: 'namespaces' }],
  ['/api/v1/namespaces/default', { group: '', version: 'v1', resource: 'namespaces', name: 'default' }],
  ['/api/v1/namespaces/a/pods', { group: '', version: 'v1', namespace: 'a', resource: 'pods' }],
  [
    '/api/v1/namespaces/a/status',
    { group: '', version: 'v1', resource: 'namespaces', name: 'a', subresource: 'status' },
  ],
  [
    '/apis/apps/v1/namespaces/a/deployments/b/scale',
    { group: 'apps', version: 'v1', namespace: 'a', resource: 'deployments', name: 'b', subresource: 'scale' },
  ],
  [
    '/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode',
    { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'clusterroles', name: 'system:node' },
  ],
])('%s', (text, path) => {
  expect(parsePath(text)).toEqual(path);
  expect(parsePath(`${text}?limit=1`)).toEqual(path);
  expect(buildPath(path)).toBe(text);
});

test.each(['/readyz', '/version', '/api', '/api/v1', '/apis', '/apis/apps/v1', '/', 'api/v1/pods', '/api/v1//pods'])(
  '%s names no resource',
  (text) => {
    expect(parsePath(text)).toBeUndefined();
    expect(isCollectionPath(text)).toBe(false);
  },
);

test('tells collections from objects', () => {
  expect(isCollectionPath('/api/v1/namespaces/a/pods?labelSelector=a')).toBe(true);
  expect(isCollectionPath('/api/v1/namespaces/a')).toBe(false);
});

describe('building', () => {
  const segment = fc.string({ minLength: 1, unit: 'binary' }).filter((text) => text !== '.' && text !== '..');

  test('whatever the names are, taking apart gives them back', () => {
    const names = segment.filter((text) => text !== 'namespaces' && text !== 'status' && text !== 'finalize');
    fc.assert(
      fc.property(names, names, names, names, (group, namespace, resource, name) => {
        const path = { group, version: 'v1', namespace, resource, name };
        expect(parsePath(buildPath(path, { limit: '1' }))).toEqual(path);
      }),
    );
  });

  test.each(['', '.', '..'])('refuses the segment "%s"', (name) => {
    expect(() => buildPath({ group: '', version: 'v1', resource: 'pods', name })).toThrow('cannot be part');
  });

  test('sets and removes parameters', () => {
    const path = withQuery('/api/v1/pods?a=1&b=2', { a: 'x y&z', b: undefined });
    expect(readQuery(path, 'a')).toBe('x y&z');
    expect(readQuery(path, 'b')).toBeUndefined();
    expect(withQuery('/api/v1/pods?b=2', { b: undefined })).toBe('/api/v1/pods');
  });
});
