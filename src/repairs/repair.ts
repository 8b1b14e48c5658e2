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
  /** What it does, in one sentence, for `explain`. */
  readonly title: string;
  propose(finding: FindingRef, facts: Facts): Proposal;
  /** The same by hand, for `explain`; `{node}`, `{address}`, `{cluster}` stand for the values of the finding. */
  readonly byHand: readonly string[];
}
