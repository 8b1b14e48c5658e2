import { nodesOf } from '../../facts/select.ts';
import { type Check, conclude, type Problem } from '../check.ts';

export const leftoverFiles: Check = {
  id: 'node/leftover-files',
  layer: 'node',
  severity: 'warning',
  title: 'No temporary file of an interrupted run is left in a node',
  after: ['containers/node-stopped'],
  run: (facts) => {
    if (!facts.containers.ok) return conclude([], [facts.containers.reason]);
    const problems: Problem[] = [];
    const unknown: string[] = [];
    for (const { container, inside, reason } of nodesOf(facts)) {
      if (inside === undefined) unknown.push(`${container.name}: ${reason}`);
      if (inside === undefined || inside.leftovers.length === 0) continue;
      problems.push({
        subject: container.name,
        summary: `${inside.leftovers.length} temporary ${inside.leftovers.length === 1 ? 'file' : 'files'} of an interrupted run on ${container.name}`,
        evidence: [...inside.leftovers],
      });
    }
    return conclude(problems, unknown);
  },
};
