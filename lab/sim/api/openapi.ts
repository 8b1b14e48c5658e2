/**
 * As much of `/openapi/v3` as `kubectl apply` needs: which patches take `fieldValidation` and `dryRun`. The schemas are
 * left out, so nothing is validated by the client.
 */

import { type ApiResource, nameGroupVersion, resources } from './resources.ts';

const ROOT = '/openapi/v3';

/** Undefined where the path is none of it. */
export function describeOpenApi(pathname: string): unknown {
  const versions = [...new Set(resources.map(locateGroup))];
  if (pathname === ROOT) {
    const paths = versions.map((path) => [path, { serverRelativeURL: `${ROOT}/${path}` }] as const);
    return { paths: Object.fromEntries(paths) };
  }
  const version = versions.find((path) => pathname === `${ROOT}/${path}`);
  if (version === undefined) return undefined;
  const members = resources.filter((resource) => locateGroup(resource) === version);
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: 'unversioned' },
    paths: Object.fromEntries(members.map(describePatch)),
    components: { schemas: {} },
  };
}

function locateGroup(resource: ApiResource): string {
  return `${resource.group === '' ? 'api' : 'apis'}/${nameGroupVersion(resource)}`;
}

function describePatch(resource: ApiResource): readonly [string, object] {
  const { group, version, kind, plural, namespaced } = resource;
  const place = namespaced ? `namespaces/{namespace}/${plural}` : plural;
  const parameters = ['dryRun', 'fieldManager', 'fieldValidation', 'force'].map((name) => ({
    name,
    in: 'query',
    schema: { type: 'string', uniqueItems: true },
  }));
  return [
    `/${locateGroup(resource)}/${place}/{name}`,
    {
      patch: {
        parameters,
        'x-kubernetes-action': 'patch',
        'x-kubernetes-group-version-kind': { group, version, kind },
      },
    },
  ];
}
