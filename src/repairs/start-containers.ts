import { nodesOf } from '../facts/select.ts';
import type { Repair } from './repair.ts';

/** Starts what is stopped: control planes first, then workers, then the load balancer, each until its inside answers. */
export const startContainers: Repair = {
  mends: ['containers/node-stopped'],
  byHand: ({ subject }) => [`docker start ${subject}`, `docker logs --tail 20 ${subject}`],
  propose: ({ subject }, facts) => {
    const container = facts.containers.ok ? facts.containers.value.find(({ name }) => name === subject) : undefined;
    if (container === undefined)
      return { kind: 'told', reason: `there is no container ${subject} any more`, byHand: [] };
    if (container.state === 'paused') {
      return { kind: 'told', reason: 'it was paused on purpose', byHand: [`docker unpause ${subject}`] };
    }
    const reason = `${subject} does not run`;
    const isNode = nodesOf(facts).some((node) => node.container.name === subject);
    return {
      kind: 'steps',
      steps: [
        { step: { kind: 'start-container', container: subject }, risk: 'safe', reason },
        ...(isNode ? [{ step: { kind: 'wait-boot' as const, node: subject }, risk: 'safe' as const, reason }] : []),
      ],
    };
  },
};

/** Gives the container kind's own restart policy, on-failure with one retry. */
export const setRestartPolicy: Repair = {
  mends: ['containers/restart-policy'],
  byHand: ({ subject }) => [`docker update --restart=on-failure:1 ${subject}`],
  propose: ({ subject }, facts) => {
    const container = facts.containers.ok ? facts.containers.value.find(({ name }) => name === subject) : undefined;
    if (container === undefined)
      return { kind: 'told', reason: `there is no container ${subject} any more`, byHand: [] };
    return {
      kind: 'steps',
      steps: [
        {
          step: {
            kind: 'set-restart-policy',
            container: subject,
            policy: { name: 'on-failure', maximumRetryCount: 1 },
            previous: container.restartPolicy,
          },
          risk: 'safe',
          reason: `${subject} would stay down after the next crash`,
        },
      ],
    };
  },
};
