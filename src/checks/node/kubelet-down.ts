import { nodesOf } from '../../facts/select.ts';
import { type Check, conclude, type Problem } from '../check.ts';

export const kubeletDown: Check = {
  id: 'node/kubelet-down',
  layer: 'kubelet',
  severity: 'error',
  title: "Every node's kubelet and container runtime run",
  after: ['containers/node-stopped', 'node/manifest-address-stale'],
  run: (facts) => {
    if (!facts.containers.ok) return conclude([], [facts.containers.reason]);
    const problems: Problem[] = [];
    const unknown: string[] = [];
    for (const { container, inside, reason } of nodesOf(facts)) {
      if (!container.running) continue;
      if (inside === undefined) {
        unknown.push(`${container.name}: ${reason}`);
        continue;
      }
      const units = [
        ['kubelet', inside.kubelet],
        ['containerd', inside.containerd],
      ] as const;
      const down = [];
      for (const [unit, state] of units) {
        if (!state.ok) unknown.push(`${container.name} ${unit}: ${state.reason}`);
        else if (state.value.activeState !== 'active') down.push({ unit, ...state.value });
      }
      if (down.length > 0) {
        problems.push({
          subject: container.name,
          summary: `${down.map(({ unit, activeState }) => `${unit} is ${activeState}`).join(', ')} on ${container.name}`,
          evidence: down.map(
            ({ unit, activeState, subState, restarts }) =>
              `${unit}: ${activeState} (${subState}), restarted ${restarts} times`,
          ),
        });
      }
    }
    return conclude(problems, unknown);
  },
};
