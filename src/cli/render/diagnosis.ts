import type { Diagnosis, Finding } from '../../engine/diagnosis.ts';
import { flow, type Span } from '../text/flow.ts';
import { count } from '../text/words.ts';
import { type Look, markOf } from './look.ts';
import { countConsequences, type FindingTree, growTrees } from './tree.ts';

/** More consequences than these are folded into a count, unless asked for. */
const shownConsequences = 4;

export function describeVerdict(cluster: string, diagnosis: Diagnosis, detail: string, look: Look): string[] {
  const { palette } = look;
  const mark = markOf(diagnosis.verdict, palette);
  const spans: Span[] = [
    { text: cluster, style: palette.bold },
    { text: ` ${verdictWords[diagnosis.verdict]}`, style: (text) => palette.bold(mark.style(text)) },
    { text: detail === '' ? '' : `: ${detail}` },
  ];
  return flow(spans, { width: look.width, first: `${mark.style(mark.symbol)} `, rest: '  ' });
}

const verdictWords = {
  healthy: 'is healthy',
  degraded: 'works, with warnings',
  broken: 'is broken',
  unknown: 'could not be judged',
} as const;

/** What is wrong, before a plan against it is shown. */
export function describeBriefly(diagnosis: Diagnosis, look: Look): string[] {
  const detail = countFindings(diagnosis.findings);
  return [...describeVerdict(diagnosis.cluster, diagnosis, detail, look), ...describeFindings(diagnosis, look)];
}

/** The findings, causes first, and apart from them what could not be looked at. */
export function describeFindings(diagnosis: Diagnosis, look: Look): string[] {
  const lines: string[] = [];
  for (const tree of orderTrees(growTrees(diagnosis.findings))) lines.push('', ...describeCause(tree, look));
  if (diagnosis.unknown.length > 0) lines.push('', ...describeUnknown(diagnosis, look));
  return lines;
}

/** `1 cause with 3 consequences, 2 warnings`. */
export function countFindings(findings: readonly Finding[]): string {
  const trees = growTrees(findings);
  const causes = trees.filter(({ finding }) => finding.severity === 'error');
  const warnings = trees.length - causes.length;
  const consequences = trees.reduce((sum, tree) => sum + countConsequences(tree), 0);
  const follow = consequences === 0 ? '' : ` with ${count(consequences, 'consequence')}`;
  if (causes.length === 0) return `${count(warnings, 'warning')}${follow}`;
  return `${count(causes.length, 'cause')}${follow}${warnings === 0 ? '' : `, ${count(warnings, 'warning')}`}`;
}

/** Errors before warnings, otherwise as the checks go: from the bottom up. */
export function orderTrees(trees: readonly FindingTree[]): FindingTree[] {
  const rank = ({ finding }: FindingTree): number => (finding.severity === 'error' ? 0 : 1);
  return trees.toSorted((one, other) => rank(one) - rank(other));
}

function describeCause(tree: FindingTree, look: Look): string[] {
  const { palette } = look;
  const { finding } = tree;
  const mark = markOf(finding.severity, palette);
  const head: Span[] = [{ text: finding.id, style: palette.bold }];
  if (finding.subject !== '') {
    head.push({ text: ' · ', style: palette.dim }, { text: finding.subject, style: palette.cyan });
  }
  return [
    ...flow(head, { width: look.width, first: `  ${mark.style(mark.symbol)} `, rest: '    ' }),
    ...flow([{ text: finding.summary }], { width: look.width, first: '    ' }),
    ...describeEvidence(finding, '    ', look),
    ...describeConsequences(tree.consequences, '    ', look),
  ];
}

function describeConsequences(trees: readonly FindingTree[], indent: string, look: Look): string[] {
  const { palette } = look;
  const most = look.verbose || trees.length === shownConsequences + 1 ? trees.length : shownConsequences;
  const lines: string[] = [];
  for (const tree of trees.slice(0, most)) {
    const { finding } = tree;
    const mark = markOf(finding.severity, palette);
    const subject: Span[] =
      finding.subject === ''
        ? []
        : [
            { text: ' · ', style: palette.dim },
            { text: finding.subject, style: palette.cyan },
          ];
    lines.push(
      ...flow([{ text: finding.id }, ...subject, { text: ': ' }, { text: finding.summary, style: palette.dim }], {
        width: look.width,
        first: `${indent}${palette.dim('└')} ${mark.style(mark.symbol)} `,
        rest: `${indent}    `,
      }),
      ...describeEvidence(finding, `${indent}    `, look),
      ...describeConsequences(tree.consequences, `${indent}  `, look),
    );
  }
  const folded = trees.slice(most).reduce((sum, tree) => sum + 1 + countConsequences(tree), 0);
  if (folded > 0) lines.push(`${indent}${palette.dim(`└ and ${folded} more that follow from it (-v shows them)`)}`);
  return lines;
}

function describeEvidence(finding: Finding, indent: string, look: Look): string[] {
  if (!look.verbose) return [];
  return finding.evidence.flatMap((line) =>
    flow([{ text: line, style: look.palette.dim }], {
      width: look.width,
      first: `${indent}${look.palette.dim('|')} `,
      rest: `${indent}${look.palette.dim('|')}   `,
    }),
  );
}

function describeUnknown(diagnosis: Diagnosis, look: Look): string[] {
  const { palette } = look;
  const mark = markOf('unknown', palette);
  const lines = [`  ${palette.bold('Could not be looked at')} ${palette.dim('(never taken for healthy)')}`];
  for (const [reason, checks] of groupByReason(diagnosis)) {
    lines.push(
      ...flow([{ text: checks.join(', '), style: palette.bold }], {
        width: look.width,
        first: `  ${mark.style(mark.symbol)} `,
        rest: '    ',
      }),
      ...flow([{ text: reason }], { width: look.width, first: '    ' }),
    );
  }
  return lines;
}

/** One dead API server hides many checks: the reason is told once. */
function groupByReason(diagnosis: Diagnosis): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const { check, reason } of diagnosis.unknown) {
    const checks = groups.get(reason) ?? [];
    if (!checks.includes(check)) checks.push(check);
    groups.set(reason, checks);
  }
  return groups;
}
