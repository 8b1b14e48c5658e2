import type { CrashPlan } from './plan.ts';

/** What became of one crash. */
export interface CrashReport {
  readonly seed: number;
  readonly plan: CrashPlan;
  /** What was not as it has to be; empty where all was. */
  readonly complaints: readonly string[];
  /** What is worth knowing and no fault: a fault that could not be staged. */
  readonly notes: readonly string[];
  /** What was done and found, one line after the other, with the seconds of the world. */
  readonly story: readonly string[];
  /** Heals until the end, the first one included where it was cut short. */
  readonly heals: number;
  /** The verdict of the last diagnosis. */
  readonly ending: string;
  /** Ids of the findings that were left. */
  readonly findings: readonly string[];
  readonly virtualSeconds: number;
  readonly realSeconds: number;
  readonly cpuSeconds: number;
  /** Of the world: two plays of one seed have to end alike. */
  readonly end: { readonly at: number; readonly revision: number };
}
