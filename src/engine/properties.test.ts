import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checks } from '../checks/index.ts';
import { anyFacts } from '../facts/testing/arbitrary.ts';
import { repairFor } from '../repairs/index.ts';
import { plan as planSchema } from '../repairs/step.ts';
import type { Diagnosis } from './diagnosis.ts';
import * as schema from './diagnosis.ts';
import { diagnose } from './diagnose.ts';
import { makePlan } from './plan.ts';

/** Milliseconds; shrinking a counterexample takes longer than finding none. */
const patience = 60_000;
const runs = { numRuns: 200 };

const keyOf = ({ id, subject }: { readonly id: string; readonly subject: string }) => `${id} on ${subject}`;

test(
  'findings: known ids, no two alike, causes that are findings themselves, and no circle of causes',
  () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const { findings } = schema.diagnosis.parse(diagnose(facts));
        const byKey = new Map(findings.map((finding) => [keyOf(finding), finding]));
        expect(byKey.size).toBe(findings.length);
        for (const finding of findings) {
          expect(checks.map(({ id }) => id)).toContain(finding.id);
          expect(finding.summary).not.toBe('');
          expect(finding.evidence.length).toBeGreaterThan(0);
          const passed = new Set<string>();
          for (let at = finding; at.cause !== null; ) {
            expect(passed.has(keyOf(at)), `${keyOf(finding)} follows from itself`).toBe(false);
            passed.add(keyOf(at));
            const cause = byKey.get(keyOf(at.cause));
            if (cause === undefined)
              throw new Error(`${keyOf(at)} follows from ${keyOf(at.cause)}, which is no finding`);
            at = cause;
          }
        }
      }),
      runs,
    );
  },
  patience,
);

test(
  'the verdict agrees with the findings, and nothing unknown is healthy',
  () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const { verdict, findings, unknown, passed } = diagnose(facts);
        if (findings.some(({ severity }) => severity === 'error')) expect(verdict).toBe('broken');
        else if (unknown.length > 0) expect(verdict).toBe('unknown');
        else expect(verdict).toBe(findings.length > 0 ? 'degraded' : 'healthy');
        const judged = new Set([...findings.map(({ id }) => id), ...unknown.map(({ check }) => check)]);
        for (const id of passed) expect(judged.has(id), id).toBe(false);
      }),
      runs,
    );
  },
  patience,
);

test(
  'a plan is a graph without circles, in order, without two equal steps',
  () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const { steps } = planSchema.parse(makePlan(facts, diagnose(facts)));
        expect(steps.map(({ id }) => id)).toEqual(steps.map((_, index) => String(index + 1)));
        for (const { id, needs } of steps) for (const need of needs) expect(Number(need)).toBeLessThan(Number(id));
        expect(new Set(steps.map(({ step }) => JSON.stringify(step))).size).toBe(steps.length);
        for (const { title, reasons, mends } of steps) {
          expect(title).not.toBe('');
          expect(reasons.length).toBeGreaterThan(0);
          expect(mends.length).toBeGreaterThan(0);
        }
      }),
      runs,
    );
  },
  patience,
);

test(
  'every finding is served by a step or told why it is not',
  () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const diagnosis = diagnose(facts);
        const { steps, unserved } = makePlan(facts, diagnosis);
        const served = new Set(steps.flatMap(({ mends }) => mends.map(keyOf)));
        const told = new Set(unserved.map(keyOf));
        for (const finding of diagnosis.findings) {
          const key = keyOf(finding);
          expect(served.has(key) && told.has(key), `${key} is both served and left`).toBe(false);
          if (repairFor(finding.id) !== undefined) expect(served.has(key) || told.has(key), key).toBe(true);
        }
        const known = new Set(diagnosis.findings.map(keyOf));
        for (const key of [...served, ...told]) expect(known.has(key), key).toBe(true);
      }),
      runs,
    );
  },
  patience,
);

test(
  'no step mends what follows from a finding that is mended itself',
  () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const diagnosis = diagnose(facts);
        const { steps } = makePlan(facts, diagnosis);
        const served = new Set(steps.flatMap(({ mends }) => mends.map(keyOf)));
        for (const finding of diagnosis.findings) {
          if (!served.has(keyOf(finding))) continue;
          for (const cause of causesOf(finding, diagnosis)) expect(served.has(keyOf(cause))).toBe(false);
        }
      }),
      runs,
    );
  },
  patience,
);

test(
  'one node: files first, then the certificate, components, containerd, the kubelet; waits for all of it',
  () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const { steps } = makePlan(facts, diagnose(facts));
        const order = ['edit-file', 'remake-certificate', 'restart-component', 'restart-unit'];
        for (const later of steps) {
          for (const earlier of steps) {
            if (!('node' in earlier.step) || !('node' in later.step) || earlier.step.node !== later.step.node) continue;
            const [first, second] = [order.indexOf(earlier.step.kind), order.indexOf(later.step.kind)];
            if (first === -1 || second === -1 || first >= second) continue;
            expect(later.needs, `${later.title} needs ${earlier.title}`).toContain(earlier.id);
          }
          if (later.step.kind === 'wait-nodes') {
            const acting = steps.filter(
              ({ step }) => order.includes(step.kind) || step.kind === 'wait-boot' || step.kind === 'wait-api',
            );
            for (const { id } of acting) expect(later.needs).toContain(id);
          }
        }
      }),
      runs,
    );
  },
  patience,
);

function* causesOf(finding: Diagnosis['findings'][number], { findings }: Diagnosis) {
  for (let { cause } = finding; cause !== null; ) {
    yield cause;
    const { id, subject } = cause;
    cause = findings.find((other) => other.id === id && other.subject === subject)?.cause ?? null;
  }
}
