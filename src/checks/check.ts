import type { Facts } from '../facts/facts.ts';

/** From the bottom up; lower layers are judged, and mended, first. */
export const layers = [
  'engine',
  'containers',
  'network',
  'node',
  'certificates',
  'etcd',
  'control-plane',
  'kubelet',
  'nodes',
  'workloads',
  'urls',
  'host',
] as const;
export type Layer = (typeof layers)[number];

export type Severity = 'error' | 'warning';

export interface Problem {
  /** What it is about: a container, a node, a file; empty for the cluster as a whole. */
  readonly subject: string;
  /** One sentence with the values seen. */
  readonly summary: string;
  /** The observations it was concluded from, one line each. */
  readonly evidence: readonly string[];
  /** Less than the check's severity, where this case is milder. */
  readonly severity?: Severity;
}

export type Outcome =
  | { readonly kind: 'ok' }
  | {
      readonly kind: 'problems';
      readonly problems: readonly Problem[] /** What could not be judged beside them. */;
      readonly unknown?: readonly string[];
    }
  | { readonly kind: 'unknown'; readonly reasons: readonly string[] }
  | { readonly kind: 'skipped'; readonly reason: string };

/** Pure, synchronous, over facts alone. */
export interface Check {
  readonly id: string;
  readonly layer: Layer;
  readonly severity: Severity;
  /** A sentence that is true when all is well. */
  readonly title: string;
  /**
   * Checks that explain this one: a problem here on the same subject (or of the cluster as a whole) as a problem of
   * one of those is its consequence, shown below it and left alone until it is mended.
   */
  readonly after: readonly string[];
  run(facts: Facts): Outcome;
}

/** Ends a check: problems win, then what could not be seen, then ok. */
export function conclude(problems: readonly Problem[], unknown: readonly string[] = []): Outcome {
  if (problems.length > 0) return { kind: 'problems', problems, ...(unknown.length > 0 ? { unknown } : {}) };
  return unknown.length > 0 ? { kind: 'unknown', reasons: unknown } : { kind: 'ok' };
}
