import { checks as allChecks } from '../checks/index.ts';
import { type Check, layers, type Outcome } from '../checks/check.ts';
import type { Facts } from '../facts/facts.ts';
import type { FindingRef } from '../repairs/step.ts';
import type { Diagnosis, Finding } from './diagnosis.ts';

/** Runs every check over the facts and folds each finding under the one it follows from. Pure. */
export function diagnose(facts: Facts, checks: readonly Check[] = allChecks): Diagnosis {
  const outcomes = checks.map((check) => ({ check, outcome: runCheck(check, facts) }));
  const findings: Finding[] = outcomes.flatMap(({ check, outcome }) =>
    outcome.kind !== 'problems'
      ? []
      : outcome.problems.map((problem) => ({
          id: check.id,
          layer: check.layer,
          severity: problem.severity ?? check.severity,
          subject: problem.subject,
          title: check.title,
          summary: problem.summary,
          evidence: [...problem.evidence],
          cause: null,
        })),
  );
  const linked = findings.map((finding) => ({ ...finding, cause: findCause(finding, findings, checks, facts) }));
  const unknown = outcomes.flatMap(({ check, outcome }) =>
    reasonsOf(outcome).map((reason) => ({ check: check.id, reason })),
  );
  return {
    cluster: facts.cluster,
    gatheredAt: facts.gatheredAt,
    verdict: judge(linked, unknown.length > 0),
    findings: linked,
    unknown,
    passed: outcomes.filter(({ outcome }) => outcome.kind === 'ok').map(({ check }) => check.id),
    skipped: outcomes.flatMap(({ check, outcome }) =>
      outcome.kind === 'skipped' ? [{ check: check.id, reason: outcome.reason }] : [],
    ),
  };
}

/** A check that throws is a defect of ours; the cluster is not healthy for that, and the other checks still speak. */
function runCheck(check: Check, facts: Facts): Outcome {
  try {
    return check.run(facts);
  } catch (error) {
    return {
      kind: 'unknown',
      reasons: [`the check itself failed: ${error instanceof Error ? error.message : String(error)}`],
    };
  }
}

function reasonsOf(outcome: Outcome): readonly string[] {
  if (outcome.kind === 'unknown') return outcome.reasons;
  return outcome.kind === 'problems' ? (outcome.unknown ?? []) : [];
}

/** The nearest explanation: of those a check names, the finding of the highest layer about the same subject. */
function findCause(
  finding: Finding,
  findings: readonly Finding[],
  checks: readonly Check[],
  facts: Facts,
): FindingRef | null {
  const after = checks.find(({ id }) => id === finding.id)?.after ?? [];
  const candidates = findings.filter(
    (other) => other !== finding && after.includes(other.id) && isRelated(finding, other, facts),
  );
  candidates.sort((left, right) => rank(right) - rank(left) || after.indexOf(right.id) - after.indexOf(left.id));
  const cause = candidates[0];
  return cause === undefined ? null : { id: cause.id, subject: cause.subject };
}

/** Same container; or one of the two is about the cluster as a whole, which no worker can bring down. */
function isRelated(finding: Finding, cause: Finding, facts: Facts): boolean {
  const roleOf = (subject: string) =>
    facts.containers.ok ? facts.containers.value.find(({ name }) => name === subject)?.role : undefined;
  if (finding.subject === cause.subject || roleOf(cause.subject) === undefined) return true;
  return roleOf(finding.subject) === undefined && roleOf(cause.subject) !== 'worker';
}

function rank(finding: Finding): number {
  return (layers as readonly string[]).indexOf(finding.layer);
}

function judge(findings: readonly Finding[], hasUnknown: boolean): Diagnosis['verdict'] {
  // Without an engine nothing was looked at, so nothing is known to be broken.
  if (findings.some(({ layer }) => layer === 'engine')) return 'unknown';
  if (findings.some(({ severity }) => severity === 'error')) return 'broken';
  if (hasUnknown) return 'unknown';
  return findings.length > 0 ? 'degraded' : 'healthy';
}
