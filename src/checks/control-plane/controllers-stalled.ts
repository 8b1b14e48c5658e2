import { componentsOf, secondsSince } from '../../facts/select.ts';
import { type Check, conclude, type Problem } from '../check.ts';

/**
 * A leader renews every 2 s, ends itself after 10 s without success, and after 15 s another may take over. So at this age
 * nobody leads, even if somebody is about to.
 */
const staleAfterSeconds = 20;

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
      const age = secondsSince(facts, lease.value.renewedAt);
      const containers = componentsOf(facts, component);
      // A lease that is young still does not tell that its holder has ended since.
      const hasEnded = containers.length > 0 && containers.every(({ state }) => state !== 'running');
      if (age <= staleAfterSeconds && !hasEnded) continue;
      problems.push({
        subject: component,
        summary: hasEnded
          ? `${component} does not run; its lease was last renewed ${Math.round(age)} s ago`
          : `${component} has not renewed its lease for ${Math.round(age)} s`,
        evidence: [
          `lease kube-system/${component}: held by ${lease.value.holder}, renewed at ${lease.value.renewedAt}`,
          ...containers.map(
            ({ node, state, secondsOld }) =>
              `${node}: its newest container is ${state}, made ${Math.round(secondsOld)} s before this look`,
          ),
        ],
      });
    }
    return conclude(problems, unknown);
  },
};
