import type { Repair } from './repair.ts';

/** Tells what stands between this host and the API server; rekindle restarts no load balancer and no engine. */
export const tellOfPublishedPort: Repair = {
  mends: ['control-plane/port-unreachable'],
  byHand: ({ subject }, { cluster }) => {
    const container = subject === '' ? `${cluster}-control-plane` : subject;
    return [`docker port ${container} 6443`, `docker logs --tail 20 ${container}`, `docker restart ${container}`];
  },
  propose(finding, facts) {
    return {
      kind: 'told',
      reason: 'the port is published by the engine, or by the load balancer, which rekindle does not restart',
      byHand: this.byHand(finding, facts),
    };
  },
};
