import type { Facts } from '../facts/facts.ts';
import type { FindingRef, Risk, Step } from './step.ts';

/** A step wanted by a repair; equal steps of several repairs are one step of the plan. */
export interface WantedStep {
  readonly step: Step;
  readonly risk: Risk;
  readonly reason: string;
}

export type Proposal =
  | { readonly kind: 'steps'; readonly steps: readonly WantedStep[] }
  /** Nothing can be done by rekindle here; `byHand` are commands or actions for a person. */
  | { readonly kind: 'told'; readonly reason: string; readonly byHand: readonly string[] };

/** Pure, synchronous, over facts alone. The order of steps follows from their kinds (see src/engine/plan.ts). */
export interface Repair {
  readonly mends: readonly string[];
  propose(finding: FindingRef, facts: Facts): Proposal;
  /** The same by hand, for findings that rekindle leaves to a person. */
  byHand(finding: FindingRef, facts: Facts): readonly string[];
}

/** By hand: ends a static pod's container, for the kubelet to make it again. */
export function stopComponent(node: string, component: string): string {
  return `docker exec ${node} sh -c 'crictl ps -q --name ${component} | xargs -r crictl stop'`;
}
