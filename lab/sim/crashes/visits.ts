import type { z } from 'zod';
import { publishedSchemas } from '../../../src/cli/documents.ts';
import { exitCodeOfDiagnoses, exitCodeOfHeal } from '../../../src/cli/exit-codes.ts';
import type { CommandResult } from '../../scenarios/laboratory.ts';

export type HealDocument = z.infer<typeof publishedSchemas.heal>;
type DoctorDocument = z.infer<typeof publishedSchemas.doctor>;
type Diagnosis = HealDocument['diagnosis'];
type Plan = HealDocument['plans'][number];

export interface Visit<Document> {
  /** undefined where the command failed with an error of its own, which is allowed while the engine is away. */
  readonly document: Document | undefined;
  readonly error: string | undefined;
  readonly complaints: readonly string[];
}

/** Where `engineMayBeAway`, an error document that says so is as good an answer as any. */
export function readHeal(result: CommandResult, engineMayBeAway: boolean): Visit<HealDocument> {
  const complaints = complainOfOutput(result);
  const document = publishedSchemas.heal.safeParse(parseJson(result.stdout));
  if (!document.success) return readError(result, complaints, engineMayBeAway);
  const { verdict, diagnosis, plans, applied, run } = document.data;
  const expected = exitCodeOfHeal(verdict);
  if (result.exitCode !== expected)
    complaints.push(`${document.data.command} says ${verdict} and ends with ${result.exitCode}, not ${expected}`);
  if (document.data.command === 'heal') complaints.push(...complainOfHeal(verdict, diagnosis, plans.at(-1)));
  if (run === null && applied.length > 0) complaints.push('steps were applied without a run');
  return { document: document.data, error: undefined, complaints };
}

export function readDoctor(result: CommandResult): Visit<DoctorDocument['clusters'][number]> {
  const complaints = complainOfOutput(result);
  const document = publishedSchemas.doctor.safeParse(parseJson(result.stdout));
  const report = document.success ? document.data.clusters[0] : undefined;
  if (report === undefined) return readError(result, complaints, false);
  const expected = exitCodeOfDiagnoses([report.verdict], 'error');
  const engineFinding = report.findings.some(({ layer }) => layer === 'engine');
  if (result.exitCode !== expected && !engineFinding)
    complaints.push(`doctor says ${report.verdict} and ends with ${result.exitCode}, not ${expected}`);
  complaints.push(...complainOfDiagnosis(report), ...complainOfPlan(report, report.plan));
  return { document: report, error: undefined, complaints };
}

function readError<Document>(result: CommandResult, complaints: string[], mayBe: boolean): Visit<Document> {
  const error = publishedSchemas.error.safeParse(parseJson(result.stdout));
  if (!error.success) {
    const said = `${result.stdout.slice(0, 300)} ${result.stderr.slice(-600)}`;
    return { document: undefined, error: said, complaints: [...complaints, `no document was printed: ${said}`] };
  }
  const { message, exitCode, hint } = error.data;
  if (exitCode !== result.exitCode) complaints.push(`the error says ${exitCode} and ends with ${result.exitCode}`);
  if (exitCode === 0) complaints.push(`an error ended with 0: ${message}`);
  if (!mayBe) complaints.push(`an error, although the engine was there all the time: ${message} (${hint})`);
  return { document: undefined, error: message, complaints };
}

function complainOfOutput({ stdout, stderr }: CommandResult): string[] {
  const complaints: string[] = [];
  const all = `${stdout}\n${stderr}`;
  if (/^\s+at .+:\d+:\d+\)?$/m.test(all)) complaints.push(`a stack trace was printed: ${stderr.slice(-800)}`);
  if (/internal error|a fault of rekindle/.test(all)) complaints.push(`an internal error: ${stderr.slice(-800)}`);
  if (holdsSecret(all)) complaints.push('a private key was printed');
  return complaints;
}

function complainOfHeal(verdict: HealDocument['verdict'], diagnosis: Diagnosis, plan: Plan | undefined): string[] {
  const complaints = complainOfDiagnosis(diagnosis);
  const isWell = diagnosis.verdict === 'healthy' || diagnosis.verdict === 'degraded';
  if ((verdict === 'healthy' || verdict === 'healed') && !isWell)
    complaints.push(`heal says ${verdict}, and its own diagnosis is ${diagnosis.verdict}`);
  if (verdict === 'remaining') {
    if (diagnosis.findings.length === 0) complaints.push('heal says that findings remain, and names none');
    // Where it ended by itself the last plan is one that it could not go on with.
    if (plan !== undefined && plan.steps.length === 0) complaints.push(...complainOfPlan(diagnosis, plan));
  }
  return complaints;
}

function complainOfDiagnosis({ verdict, findings, unknown, skipped }: Diagnosis): string[] {
  const complaints: string[] = [];
  if (verdict === 'unknown' && unknown.length === 0) complaints.push('the verdict is unknown, and no check says why');
  for (const { check, reason } of [...unknown, ...skipped])
    if (reason.trim() === '') complaints.push(`${check} gives no reason`);
  for (const { id, summary } of findings) if (summary.trim() === '') complaints.push(`${id} says nothing`);
  if (verdict === 'broken' && findings.length === 0) complaints.push('broken, and no finding says why');
  return complaints;
}

/** Reasons that speak of another finding, or of another look, in place of a person's work. */
const passingReasons = /^(follows from |it may come up by itself|not among those asked for)/;

/** Every finding is served by a step, or told with what a person can do. */
function complainOfPlan({ findings }: Pick<Diagnosis, 'findings'>, plan: Plan): string[] {
  const complaints: string[] = [];
  for (const { id, subject, reason, byHand } of plan.unserved) {
    if (reason.trim() === '') complaints.push(`${id} ${subject} is not served, and no reason is given`);
    else if (byHand.length === 0 && !passingReasons.test(reason))
      complaints.push(`${id} ${subject} is not served (${reason}), and nothing is said to be done by hand`);
  }
  for (const { id, subject, severity } of findings) {
    const served = plan.steps.some(({ mends }) => mends.some((one) => one.id === id && one.subject === subject));
    const told = plan.unserved.some((one) => one.id === id && one.subject === subject);
    // An address that has changed is an explanation: what follows from it is mended.
    if (!served && !told && severity === 'error' && id !== 'network/address-changed')
      complaints.push(`${id} ${subject} is neither served nor told`);
  }
  return complaints;
}

export function holdsSecret(text: string): boolean {
  return /-----BEGIN [A-Z ]*PRIVATE KEY-----|LS0tLS1CRUdJTi[A-Za-z0-9+/]*(UFJJVkFURS|QUklWQVRF|BSSVZBVEUg)/.test(text);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
