import { nodesOf } from '../../facts/select.ts';
import { type Check, conclude } from '../check.ts';

/** kind names a cluster's nodes after it; Node objects of other names (KWOK's, for one) never had a container of kind's. */
const kindName = /^(control-plane|worker)\d*$/;

export const containerMissing: Check = {
  id: 'nodes/container-missing',
  layer: 'nodes',
  severity: 'error',
  title: 'Every node that the API knows has its container',
  after: [],
  run: (facts) => {
    if (!facts.containers.ok) return conclude([], [facts.containers.reason]);
    if (!facts.api.ok) return conclude([], [facts.api.reason]);
    const present = new Set(nodesOf(facts).map(({ container }) => container.name));
    const prefix = `${facts.cluster}-`;
    return conclude(
      facts.api.value.nodes
        .filter(({ name }) => name.startsWith(prefix) && kindName.test(name.slice(prefix.length)) && !present.has(name))
        .map(({ name, ready, internalAddresses }) => ({
          subject: name,
          summary: `The API knows a node ${name}, but no container of the cluster has that name`,
          evidence: [
            `Node object: Ready ${ready || 'unset'}, INTERNAL-IP ${internalAddresses.join(', ') || 'none'}`,
            `containers: ${[...present].join(', ')}`,
          ],
        })),
    );
  },
};
