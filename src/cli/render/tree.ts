import type { Finding } from '../../engine/diagnosis.ts';
import type { FindingRef } from '../../repairs/step.ts';

export interface FindingTree {
  readonly finding: Finding;
  readonly consequences: readonly FindingTree[];
}

/**
 * Findings as causes with their consequences below them. A finding whose cause is not among the findings, or that
 * would be its own cause, stands at the top: none is ever left out.
 */
export function growTrees(findings: readonly Finding[]): FindingTree[] {
  const placed = new Set<Finding>();
  const grow = (finding: Finding): FindingTree => {
    placed.add(finding);
    const consequences: FindingTree[] = [];
    for (const other of findings) {
      if (!placed.has(other) && isSame(other.cause, finding)) consequences.push(grow(other));
    }
    return { finding, consequences };
  };
  const causes = findings.filter(({ cause }) => cause === null || !findings.some((other) => isSame(cause, other)));
  const trees = causes.map(grow);
  for (const finding of findings) {
    if (!placed.has(finding)) trees.push(grow(finding));
  }
  return trees;
}

export function countConsequences(tree: FindingTree): number {
  return tree.consequences.reduce((sum, consequence) => sum + 1 + countConsequences(consequence), 0);
}

function isSame(one: FindingRef | null, other: FindingRef): boolean {
  return one !== null && one.id === other.id && one.subject === other.subject;
}
