import type { Check } from '../check.ts';
import { judgeNodes } from '../per-node.ts';

export const leftoverFiles: Check = {
  id: 'node/leftover-files',
  layer: 'node',
  severity: 'warning',
  title: 'No temporary file of an interrupted run is left in a node',
  after: ['containers/node-stopped'],
  run: (facts) =>
    judgeNodes(facts, ({ container, inside }, { problem, unknown }) => {
      if (!inside.leftovers.ok) return unknown(inside.leftovers.reason);
      const leftovers = inside.leftovers.value;
      if (leftovers.length === 0) return;
      problem({
        summary: `${leftovers.length} temporary ${leftovers.length === 1 ? 'file' : 'files'} of an interrupted run on ${container.name}`,
        evidence: [...leftovers],
      });
    }),
};
