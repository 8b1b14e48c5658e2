/** labelSelector and fieldSelector, as the API server reads them. */

import type { KubeObject } from '../contracts.ts';
import { ApiFailure } from './answers.ts';
import { dig } from './json.ts';
import type { ApiResource } from './resources.ts';

export type Selector = (object: KubeObject) => boolean;

const FIELDS: Readonly<Record<string, readonly string[]>> = {
  pods: [
    'spec.nodeName',
    'spec.restartPolicy',
    'spec.schedulerName',
    'spec.serviceAccountName',
    'spec.hostNetwork',
    'status.phase',
    'status.podIP',
    'status.nominatedNodeName',
  ],
  nodes: ['spec.unschedulable'],
  namespaces: ['status.phase'],
  secrets: ['type'],
  services: ['spec.clusterIP', 'spec.type'],
  jobs: ['status.successful'],
  replicasets: ['status.replicas'],
  events: [
    'involvedObject.kind',
    'involvedObject.namespace',
    'involvedObject.name',
    'involvedObject.uid',
    'involvedObject.apiVersion',
    'involvedObject.resourceVersion',
    'involvedObject.fieldPath',
    'reason',
    'reportingComponent',
    'source',
    'type',
  ],
};

/** Undefined where nothing is selected by. Throws an ApiFailure (400) for what cannot be read. */
export function parseSelectors(resource: ApiResource, query: URLSearchParams): Selector | undefined {
  const labels = query.get('labelSelector') ?? '';
  const fields = query.get('fieldSelector') ?? '';
  const tests = [
    ...splitTerms(labels).map(parseLabelTerm),
    ...splitTerms(fields).map((term) => parseFieldTerm(resource, term)),
  ];
  return tests.length === 0 ? undefined : (object) => tests.every((test) => test(object));
}

/** At the commas that are not within parentheses. */
function splitTerms(text: string): string[] {
  return text
    .split(/,(?![^(]*\))/)
    .map((term) => term.trim())
    .filter((term) => term !== '');
}

function parseFieldTerm(resource: ApiResource, term: string): Selector {
  const [, field, operator, value] = /^([\w.]+?)(!=|==|=)(.*)$/.exec(term) ?? [];
  if (field === undefined || value === undefined) {
    throw new ApiFailure(400, 'BadRequest', `invalid field selector: "${term}"; can't understand '${term}'`);
  }
  const supported = ['metadata.name', 'metadata.namespace', ...(FIELDS[resource.plural] ?? [])];
  if (!supported.includes(field)) {
    throw new ApiFailure(400, 'BadRequest', `field label not supported: ${field}`);
  }
  const path = field.split('.');
  return (object) => (formatField(dig(object, ...path)) === value) === (operator !== '!=');
}

function formatField(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function parseLabelTerm(term: string): Selector {
  const readLabel = (object: KubeObject, key: string) => object.metadata.labels?.[key];
  const set = /^(\S+)\s+(in|notin)\s*\(([^)]*)\)$/.exec(term);
  if (set !== null) {
    const [, key = '', operator, text = ''] = set;
    const values = new Set(text.split(',').map((value) => value.trim()));
    return (object) => {
      const value = readLabel(object, key);
      return operator === 'in' ? value !== undefined && values.has(value) : value === undefined || !values.has(value);
    };
  }
  const comparison = /^([\w./-]+)\s*(!=|==|=)\s*([\w.-]*)$/.exec(term);
  if (comparison !== null) {
    const [, key = '', operator, wanted = ''] = comparison;
    return (object) => (readLabel(object, key) === wanted) === (operator !== '!=');
  }
  const existence = /^(!?)\s*([\w./-]+)$/.exec(term);
  if (existence !== null) {
    const [, not, key = ''] = existence;
    return (object) => (readLabel(object, key) === undefined) === (not === '!');
  }
  throw new ApiFailure(400, 'BadRequest', `unable to parse requirement: found '${term}', expected: a label selector`);
}
