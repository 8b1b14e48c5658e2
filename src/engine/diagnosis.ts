import * as z from 'zod';
import { findingRef } from '../repairs/step.ts';

export const finding = z.object({
  id: z.string(),
  layer: z.string(),
  severity: z.enum(['error', 'warning']),
  subject: z.string(),
  /** The check's sentence that is true when all is well. */
  title: z.string(),
  summary: z.string(),
  evidence: z.array(z.string()),
  /** The finding it follows from; null for a cause. */
  cause: findingRef.nullable(),
});
export type Finding = z.infer<typeof finding>;

export const diagnosis = z.object({
  cluster: z.string(),
  gatheredAt: z.string(),
  /** `broken`: findings of severity error. `degraded`: warnings only. `unknown`: something could not be looked at and nothing is known to be broken. */
  verdict: z.enum(['healthy', 'degraded', 'broken', 'unknown']),
  findings: z.array(finding),
  /** Checks that could not judge, with the reasons: never taken for healthy. */
  unknown: z.array(z.object({ check: z.string(), reason: z.string() })),
  passed: z.array(z.string()),
  skipped: z.array(z.object({ check: z.string(), reason: z.string() })),
});
export type Diagnosis = z.infer<typeof diagnosis>;
