import * as z from 'zod';

/*
 * The JSON that the product prints, as far as the tests read it. Everything they know of its shape stands here; the
 * whole of it is published in docs/schema.
 */

const reference = z.object({ id: z.string(), subject: z.string() });

const finding = z.object({
  id: z.string(),
  subject: z.string(),
  severity: z.string(),
  summary: z.string(),
  evidence: z.array(z.string()).default([]),
  cause: reference.nullish(),
});

const diagnosis = z.object({ cluster: z.string(), verdict: z.string(), findings: z.array(finding) });
export type Diagnosis = z.infer<typeof diagnosis>;

const doctorDocument = z.object({ format: z.literal('rekindle.doctor/v1'), clusters: z.array(diagnosis) });

const healDocument = z.object({
  format: z.literal('rekindle.heal/v1'),
  cluster: z.string(),
  verdict: z.string(),
  run: z.string().nullable(),
});
export type HealOutcome = z.infer<typeof healDocument>;

/** The diagnosis of the one cluster that `doctor --name` was asked about. */
export function readDiagnosis(stdout: string): Diagnosis {
  return onlyOne(doctorDocument.parse(JSON.parse(stdout)).clusters);
}

/** What `heal` says of the cluster it was asked to heal. */
export function readOutcome(stdout: string): HealOutcome {
  return healDocument.parse(JSON.parse(stdout));
}

const journalEntry = z.object({ type: z.string(), command: z.string().optional(), run: z.string().optional() });

/** The complete lines of a run's journal; one that is being written is left out. */
export function readJournal(text: string): z.infer<typeof journalEntry>[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => journalEntry.parse(JSON.parse(line)));
}

function onlyOne<T>(items: readonly T[]): T {
  const [item] = items;
  if (item === undefined || items.length > 1) {
    throw new Error(`one cluster was asked about, and ${items.length} were answered for`);
  }
  return item;
}
