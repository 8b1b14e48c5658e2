import type { Plan, PlannedStep, Risk } from '../../repairs/step.ts';
import { flow, measure, type Span, type Style } from '../text/flow.ts';
import { count } from '../text/words.ts';
import type { Look, Palette } from './look.ts';

/** `4 steps, all safe` or `4 steps, 1 of them disruptive`. */
export function summarizePlan(plan: Plan): string {
  const total = plan.steps.length;
  const risky = plan.steps.filter(({ risk }) => risk !== 'safe').length;
  if (total === 0) return 'no steps';
  if (risky === 0) return total === 1 ? '1 step, safe' : `${count(total, 'step')}, all safe`;
  if (total === 1) return '1 step, disruptive';
  return `${count(total, 'step')}, ${risky === total ? 'all disruptive' : `${risky} of them disruptive`}`;
}

export function describePlan(cluster: string, plan: Plan, round: number, look: Look): string[] {
  const { palette } = look;
  const lines: string[] = [];
  if (plan.steps.length > 0) {
    const again = round > 1 ? `, round ${round}` : '';
    lines.push(
      ...flow([{ text: `Plan for ${cluster}`, style: palette.bold }, { text: `${again}: ${summarizePlan(plan)}` }], {
        width: look.width,
        first: '',
      }),
      '',
    );
  }
  const digits = Math.max(...plan.steps.map(({ id }) => measure(id)), 1);
  for (const step of plan.steps) lines.push(...describeStep(step, digits, look));
  const unserved = describeUnserved(plan, look);
  return unserved.length > 0 && lines.length > 0 ? [...lines, '', ...unserved] : [...lines, ...unserved];
}

function describeStep(step: PlannedStep, digits: number, look: Look): string[] {
  const { palette } = look;
  const number = `${' '.repeat(digits - measure(step.id))}${step.id}.`;
  const indent = ' '.repeat(digits + 4);
  const head: Span[] = [{ text: step.title, style: palette.bold }];
  if (step.risk !== 'safe')
    head.push({ text: ' ' }, { text: `(${step.risk})`, style: styleOfRisk(step.risk, palette) });
  const reasons = [...new Set(step.reasons)];
  return [
    ...flow(head, { width: look.width, first: `  ${palette.cyan(number)} `, rest: indent }),
    ...reasons.flatMap((reason) => flow([{ text: reason, style: palette.dim }], { width: look.width, first: indent })),
  ];
}

function describeUnserved(plan: Plan, look: Look): string[] {
  const { palette } = look;
  // Consequences stand below their cause already, and go with it.
  const unserved = plan.unserved.filter(
    ({ reason, byHand }) => byHand.length > 0 || !reason.startsWith('follows from '),
  );
  if (unserved.length === 0) return [];
  const lines = [`  ${palette.bold('Left alone by this plan')}`];
  for (const finding of unserved) {
    const head: Span[] = [{ text: finding.id, style: palette.bold }];
    if (finding.subject !== '') {
      head.push({ text: ' · ', style: palette.dim }, { text: finding.subject, style: palette.cyan });
    }
    head.push({ text: `: ${finding.reason}` });
    lines.push(
      ...flow(head, { width: look.width, first: `  ${palette.yellow('•')} `, rest: '    ' }),
      ...describeCommands(finding.byHand, '      ', palette),
    );
  }
  return lines;
}

/** Commands stand on lines of their own and are never wrapped, to be copied. */
export function describeCommands(commands: readonly string[], indent: string, palette: Palette): string[] {
  return commands.map((command) => `${indent}${palette.cyan(command)}`);
}

function styleOfRisk(risk: Risk, palette: Palette): Style {
  return risk === 'destructive' ? palette.red : palette.yellow;
}
