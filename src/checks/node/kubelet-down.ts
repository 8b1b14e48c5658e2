import type { Check } from '../check.ts';
import { judgeNodes } from '../per-node.ts';

export const kubeletDown: Check = {
  id: 'node/kubelet-down',
  layer: 'kubelet',
  severity: 'error',
  title: "Every node's kubelet and container runtime run",
  after: ['containers/node-stopped', 'node/manifest-address-stale'],
  run: (facts) =>
    judgeNodes(facts, ({ container, inside }, { problem, unknown }) => {
      const down = [];
      for (const unit of ['kubelet', 'containerd'] as const) {
        const state = inside[unit];
        if (!state.ok) unknown(`${unit}: ${state.reason}`);
        else if (state.value.activeState !== 'active') down.push({ unit, ...state.value });
      }
      if (down.length === 0) return;
      problem({
        summary: `${down.map(({ unit, activeState }) => `${unit} is ${activeState}`).join(', ')} on ${container.name}`,
        evidence: down.map(
          ({ unit, activeState, subState, restarts }) =>
            `${unit}: ${activeState} (${subState}), restarted ${restarts} times`,
        ),
      });
    }),
};
