import { nodesOf, secondsSince, secondsUp } from '../../facts/select.ts';
import { type Check, conclude, type Problem } from '../check.ts';

/** The kubelet renews its lease every 10 s; the control plane gives it up after 40 s. */
const leaseSeconds = 40;

export const nodeNotReady: Check = {
  id: 'nodes/not-ready',
  layer: 'nodes',
  severity: 'error',
  title: 'Every node is Ready, and its kubelet says so itself',
  // Of one layer the last is the nearest explanation.
  after: [
    'containers/node-stopped',
    'node/component-endpoint-stale',
    'node/manifest-address-stale',
    'node/kubelet-endpoint-stale',
    'certificates/apiserver-address-missing',
    'control-plane/controllers-stalled',
    'node/kubelet-down',
  ],
  run: (facts) => {
    if (!facts.containers.ok) return conclude([], [facts.containers.reason]);
    if (!facts.api.ok) return conclude([], [facts.api.reason]);
    const problems: Problem[] = [];
    const unknown: string[] = [];
    for (const { container, inside } of nodesOf(facts)) {
      const object = facts.api.value.nodes.find(({ name }) => name === container.name);
      if (object === undefined) {
        problems.push({
          subject: container.name,
          summary: `${container.name} is not registered with the API`,
          evidence: ['no Node object of that name'],
        });
        continue;
      }
      const renewed = object.leaseRenewedAt;
      const age = renewed === null ? undefined : secondsSince(facts, renewed, inside);
      const evidence = [
        `Ready: ${object.ready || 'unset'} (${object.readyReason || 'no reason'}) since ${object.readySince}`,
        age === undefined ? 'no lease in kube-node-lease' : `lease renewed ${Math.round(age)} s before this look`,
        ...(container.running
          ? [`container started ${Math.round(secondsUp(facts, container, inside))} s before this look`]
          : []),
      ];
      if (object.ready !== 'True') {
        problems.push({
          subject: container.name,
          summary: `${container.name} is not Ready: ${object.readyReason || object.ready || 'no condition'}`,
          evidence,
        });
      } else if (age === undefined) {
        unknown.push(`${container.name}: its kubelet has no lease, so only the API says that it is Ready`);
      } else if (age > leaseSeconds) {
        problems.push({
          subject: container.name,
          summary: `${container.name} counts as Ready still, but its kubelet has not been heard of for ${Math.round(age)} s`,
          evidence,
        });
      }
    }
    return conclude(problems, unknown);
  },
};
