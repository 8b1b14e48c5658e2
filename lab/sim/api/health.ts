/** `/readyz`, `/livez` and `/healthz`: the checks of a kubeadm cluster's API server (1.34), in its order and words. */

import type { ApiServerState } from '../contracts.ts';
import { answerText, type WholeAnswer } from './answers.ts';

const CHECKS: readonly string[] = [
  'ping',
  'log',
  'etcd',
  'etcd-readiness',
  'informer-sync',
  'poststarthook/start-apiserver-admission-initializer',
  'poststarthook/generic-apiserver-start-informers',
  'poststarthook/priority-and-fairness-config-consumer',
  'poststarthook/priority-and-fairness-filter',
  'poststarthook/storage-object-count-tracker-hook',
  'poststarthook/start-apiextensions-informers',
  'poststarthook/start-apiextensions-controllers',
  'poststarthook/crd-informer-synced',
  'poststarthook/start-system-namespaces-controller',
  'poststarthook/start-cluster-authentication-info-controller',
  'poststarthook/start-kube-apiserver-identity-lease-controller',
  'poststarthook/start-kube-apiserver-identity-lease-garbage-collector',
  'poststarthook/start-legacy-token-tracking-controller',
  'poststarthook/start-service-ip-repair-controllers',
  'poststarthook/rbac/bootstrap-roles',
  'poststarthook/scheduling/bootstrap-system-priority-classes',
  'poststarthook/priority-and-fairness-config-producer',
  'poststarthook/bootstrap-controller',
  'poststarthook/start-kubernetes-service-cidr-controller',
  'poststarthook/aggregator-reload-proxy-client-cert',
  'poststarthook/start-kube-aggregator-informers',
  'poststarthook/apiservice-status-local-available-controller',
  'poststarthook/apiservice-status-remote-available-controller',
  'poststarthook/apiservice-registration-controller',
  'poststarthook/apiservice-discovery-controller',
  'poststarthook/kube-apiserver-autoregistration',
  'autoregister-completion',
  'poststarthook/apiservice-openapi-controller',
  'poststarthook/apiservice-openapiv3-controller',
  'shutdown',
];

/** Asked by /readyz alone. */
const READINESS_ONLY: ReadonlySet<string> = new Set(['etcd-readiness', 'informer-sync', 'shutdown']);

const ENDPOINT = /^\/(readyz|livez|healthz)(?:\/(.+))?$/;

export function isHealthPath(pathname: string): boolean {
  return ENDPOINT.test(pathname);
}

/** The check of etcd gives up after two seconds; everything else is known at once. */
export function isSlowHealth(server: ApiServerState, query: URLSearchParams): boolean {
  return server.etcd === 'lost' && !query.getAll('exclude').includes('etcd');
}

export function answerHealth(server: ApiServerState, pathname: string, query: URLSearchParams): WholeAnswer {
  const [, endpoint = '', single] = ENDPOINT.exec(pathname) ?? [];
  const failing = new Set([...server.unready, ...(server.etcd === 'lost' ? ['etcd', 'etcd-readiness'] : [])]);
  const known = [...CHECKS, ...server.unready.filter((check) => !CHECKS.includes(check))];
  const asked = known.filter((check) => endpoint === 'readyz' || !READINESS_ONLY.has(check));
  if (single !== undefined) {
    if (!asked.includes(single)) return answerText(404, '404 page not found\n');
    return failing.has(single)
      ? answerText(500, `internal server error: ${single} failed: reason withheld\n`)
      : answerText(200, 'ok');
  }
  const excluded = new Set(query.getAll('exclude'));
  const failed = asked.some((check) => failing.has(check) && !excluded.has(check));
  if (!failed && !query.has('verbose')) return answerText(200, 'ok');
  const lines = asked.map((check) => {
    if (excluded.has(check)) return `[+]${check} excluded: ok`;
    return failing.has(check) ? `[-]${check} failed: reason withheld` : `[+]${check} ok`;
  });
  return answerText(failed ? 500 : 200, [...lines, `${endpoint} check ${failed ? 'failed' : 'passed'}`, ''].join('\n'));
}
