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
      if (!container.running) continue;
      if (inside === undefined || !inside.leftovers.ok) {
        unknown.push(
          `${container.name}: ${inside === undefined || inside.leftovers.ok ? reason : inside.leftovers.reason}`,
        );
        continue;
      }
      const leftovers = inside.leftovers.value;
      if (leftovers.length === 0) continue;
      problems.push({
        subject: container.name,
        summary: `${leftovers.length} temporary ${leftovers.length === 1 ? 'file' : 'files'} of an interrupted run on ${container.name}`,
        evidence: [...leftovers],
      });
    }
    return conclude(problems, unknown);
  },
};
