import type { Facts } from '../facts/facts.ts';
import type { NodeFacts } from '../facts/node.ts';
import { type NodeView, nodesOf } from '../facts/select.ts';
import { conclude, type Outcome, type Problem } from './check.ts';

/** A running node that could be looked into. */
export type OpenNode = NodeView & { readonly inside: NodeFacts };

/** What a check says of one node; its name is put to it. */
export interface NodeReport {
  readonly problem: (problem: Omit<Problem, 'subject'>) => void;
  readonly unknown: (what: string) => void;
}

/**
 * Judges each running node by what is inside it. A node that could not be looked into is unknown; a stopped one is the
 * business of containers/node-stopped.
 */
export function judgeNodes(
  facts: Facts,
  judge: (node: OpenNode, report: NodeReport) => void,
  which: 'all' | 'control-planes' = 'all',
): Outcome {
  if (!facts.containers.ok) return conclude([], [facts.containers.reason]);
  const problems: Problem[] = [];
  const unknown: string[] = [];
  for (const node of nodesOf(facts)) {
    const { container, inside, reason } = node;
    if (!container.running || (which === 'control-planes' && container.role !== 'control-plane')) continue;
    if (inside === undefined) unknown.push(`${container.name}: ${reason}`);
    else
      judge(
        { ...node, inside },
        {
          problem: (problem) => {
            problems.push({ subject: container.name, ...problem });
          },
          unknown: (what) => {
            unknown.push(`${container.name}: ${what}`);
          },
        },
      );
  }
  return conclude(problems, unknown);
}
