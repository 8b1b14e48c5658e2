import { engineNow, nodesOf } from '../../facts/select.ts';
import { type Check, conclude, type Problem } from '../check.ts';

/** Twice what a leader may take between two renewals before another takes over (leaseDuration 15 s), and some. */
const staleAfterSeconds = 45;

/**
 * A cluster whose controller manager cannot reach its API server answers every query while nothing moves
 * (kubernetes-sigs/kind#2640): only the leases tell.
 */
export const controllersStalled: Check = {
  id: 'control-plane/controllers-stalled',
  layer: 'control-plane',
  severity: 'error',
  title: 'Controller manager and scheduler renew their leases',
  after: [
    'containers/node-stopped',
    'node/component-endpoint-stale',
    'node/manifest-address-stale',
    'control-plane/api-unreachable',
    'node/kubelet-down',
  ],
  run: (facts) => {
    if (!facts.api.ok) return conclude([], [facts.api.reason]);
    const now = engineNow(facts);
    const problems: Problem[] = [];
    const unknown: string[] = [];
    for (const [component, lease] of [
      ['kube-controller-manager', facts.api.value.controllerManagerLease],
      ['kube-scheduler', facts.api.value.schedulerLease],
    ] as const) {
      if (!lease.ok) {
        unknown.push(`${component}: ${lease.reason}`);
        continue;
      }
      const age = (now - Date.parse(lease.value.renewedAt)) / 1000;
      if (age <= staleAfterSeconds || startedWithin(component, staleAfterSeconds)) continue;
      problems.push({
        subject: component,
        summary: `${component} has not renewed its lease for ${Math.round(age)} s`,
        evidence: [
          `lease kube-system/${component}: held by ${lease.value.holder}, renewed at ${lease.value.renewedAt}`,
        ],
      });
    }
    return conclude(problems, unknown);

    /** A component that has just been started waits for the old lease to run out first. */
    function startedWithin(component: string, seconds: number): boolean {
      return nodesOf(facts).some(
        ({ inside }) =>
          inside?.components.ok === true &&
          inside.components.value.some(
            ({ name, state, createdAt }) =>
              name === component &&
              state === 'running' &&
              engineNow(facts, inside) - Date.parse(createdAt) < seconds * 1000,
          ),
      );
    }
  },
};
