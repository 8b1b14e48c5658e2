/** Discovery (`/api`, `/apis`, `/apis/apps/v1`) and `/version`, as kubectl needs them. */

import { type ApiResource, nameGroupVersion, resources, type Subresource } from './resources.ts';

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

/** The document at a discovery path; undefined where the path is none. */
export function describeApi(pathname: string): unknown {
  const segments = pathname.split('/').filter((segment) => segment !== '');
  const [root, group, version, ...rest] = segments;
  if (rest.length > 0) return undefined;
  if (root === 'api' && version === undefined) {
    return group === undefined ? { kind: 'APIVersions', versions: ['v1'] } : listResources('', group);
  }
  if (root !== 'apis') return undefined;
  if (group === undefined) {
    return { kind: 'APIGroupList', apiVersion: 'v1', groups: listGroups().map(describeGroup) };
  }
  if (version !== undefined) return listResources(group, version);
  return listGroups().includes(group) ? { kind: 'APIGroup', apiVersion: 'v1', ...describeGroup(group) } : undefined;
}

/** `gitVersion` as `v1.34.4`. */
export function describeVersion(gitVersion: string): unknown {
  const [major = '1', minor = '34'] = gitVersion.replace(/^v/, '').split('.');
  return {
    major,
    minor,
    gitVersion,
    gitCommit: '0'.repeat(40),
    gitTreeState: 'clean',
    buildDate: '2026-01-01T00:00:00Z',
    goVersion: 'go1.24.12',
    compiler: 'gc',
    platform: 'linux/amd64',
  };
}

function listGroups(): string[] {
  return [...new Set(resources.map(({ group }) => group))].filter((group) => group !== '');
}

function describeGroup(name: string): object {
  const version = { groupVersion: `${name}/v1`, version: 'v1' };
  return { name, versions: [version], preferredVersion: version };
}

function listResources(group: string, version: string): unknown {
  const members = resources.filter((resource) => resource.group === group && resource.version === version);
  const [first] = members;
  if (first === undefined) return undefined;
  return {
    kind: 'APIResourceList',
    ...(group === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: nameGroupVersion(first),
    resources: members.flatMap(describeResource),
  };
}

function describeResource(resource: ApiResource): object[] {
  const { plural, kind, namespaced, shortNames, categories } = resource;
  const own = {
    name: plural,
    singularName: kind.toLowerCase(),
    namespaced,
    kind,
    verbs: VERBS,
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
  };
  return [own, ...resource.subresources.map((subresource) => describeSubresource(resource, subresource))];
}

function describeSubresource({ plural, kind, namespaced }: ApiResource, subresource: Subresource): object {
  const base = { name: `${plural}/${subresource}`, singularName: '', namespaced };
  if (subresource === 'scale') {
    return { ...base, group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: ['get', 'patch', 'update'] };
  }
  if (subresource === 'eviction') {
    return { ...base, group: 'policy', version: 'v1', kind: 'Eviction', verbs: ['create'] };
  }
  return { ...base, kind, verbs: subresource === 'log' ? ['get'] : ['get', 'patch', 'update'] };
}
