import type { HealDocument } from '../documents.ts';
import { formatDuration } from '../text/duration.ts';
import { flow } from '../text/flow.ts';
import { count } from '../text/words.ts';
import { countFindings, describeFindings, describeVerdict } from './diagnosis.ts';
import { type Look, markOf } from './look.ts';
import { describePlan, summarizePlan } from './plan.ts';

/** The end of a heal or an undo: what became of it, what is left, how to put it back. */
export function describeHeal(document: HealDocument, look: Look): string[] {
  return document.command === 'undo' ? describeUndo(document, look) : describeOutcome(document, look);
}

function describeOutcome(document: HealDocument, look: Look): string[] {
  const { cluster, diagnosis } = document;
  switch (document.verdict) {
    case 'healthy':
      // Warnings alone are well enough, and a dry run may still have a plan for them.
      if (document.dryRun && diagnosis.findings.length > 0) return describePlanned(document, look);
      return describeVerdict(
        cluster,
        diagnosis,
        diagnosis.findings.length === 0 ? 'nothing to mend' : countFindings(diagnosis.findings),
        look,
      );
    case 'healed':
      return [...describeHealed(document, look), ...describeUndoHint(document, look)];
    case 'planned':
      return describePlanned(document, look);
    case 'declined':
      return headline('note', 'nothing was done', '', look);
    case 'unconfirmed':
      return headline('unknown', 'nothing was done', confirmHint(document, look), look);
    case 'interrupted':
      return [
        ...headline('unknown', 'interrupted', `${countApplied(document)}; run the same command again to go on`, look),
        ...describeUndoHint(document, look),
      ];
    case 'remaining':
    case 'unknown':
      return [
        ...describeVerdict(cluster, diagnosis, describeRest(document), look),
        ...describeFindings(diagnosis, look),
        ...describeUnserved(document, look),
        ...describeUndoHint(document, look),
      ];
  }
}

function describeHealed(document: HealDocument, look: Look): string[] {
  const time = document.millisecondsToReady === null ? '' : ` in ${formatDuration(document.millisecondsToReady)}`;
  const nodes = countAwaitedNodes(document);
  const ready = nodes === 0 ? 'every check passes' : nodes === 1 ? 'its node is Ready' : `all ${nodes} nodes Ready`;
  const warnings = document.diagnosis.findings.length;
  const rest = warnings === 0 ? ready : `${ready}; ${count(warnings, 'warning')} left`;
  return headline('healthy', `healed${time}`, rest, look);
}

/** The nodes that the plan waited for: those of the whole cluster. */
function countAwaitedNodes(document: HealDocument): number {
  const waits = document.plans.flatMap(({ steps }) =>
    steps.map(({ step }) => (step.kind === 'wait-nodes' ? step.nodes.length : 0)),
  );
  return Math.max(...waits, 0);
}

function describePlanned(document: HealDocument, look: Look): string[] {
  const plan = document.plans.at(-1);
  const head = describeVerdict(document.cluster, document.diagnosis, countFindings(document.diagnosis.findings), look);
  const findings = describeFindings(document.diagnosis, look);
  if (plan === undefined) return [...head, ...findings];
  const lines = [...head, ...findings, '', ...describePlan(document.cluster, plan, 1, look)];
  const next =
    plan.steps.length > 0
      ? 'nothing was changed; without --dry-run it is applied'
      : 'there is nothing that rekindle can do here';
  return [...lines, '', ...flow([{ text: next, style: look.palette.dim }], { width: look.width, first: '  ' })];
}

function describeUnserved(document: HealDocument, look: Look): string[] {
  const plan = document.plans.at(-1);
  const lines = describePlan(document.cluster, { steps: [], unserved: plan?.unserved ?? [] }, 1, look);
  return lines.length > 0 ? ['', ...lines] : [];
}

function describeRest(document: HealDocument): string {
  const { diagnosis } = document;
  const after = document.applied.length === 0 ? '' : ` after ${countApplied(document)}`;
  if (diagnosis.findings.length === 0)
    return `${count(diagnosis.unknown.length, 'check')} had nothing to look at${after}`;
  return `${countFindings(diagnosis.findings)} left${after}`;
}

function countApplied(document: HealDocument): string {
  const of = (result: 'done' | 'failed' | 'skipped'): number =>
    document.applied.filter((step) => step.result === result).length;
  const parts = [`${count(of('done'), 'step')} done`];
  if (of('failed') > 0) parts.push(`${of('failed')} failed`);
  if (of('skipped') > 0) parts.push(`${of('skipped')} skipped`);
  return parts.join(', ');
}

function describeUndo(document: HealDocument, look: Look): string[] {
  const what = document.undoes ?? 'the run';
  switch (document.verdict) {
    case 'healthy':
    case 'healed':
      return document.applied.length === 0
        ? headline('note', `${what} has nothing to put back`, '', look)
        : headline('healthy', `${what} is put back`, countApplied(document), look);
    case 'planned':
      return [
        ...describePlan(document.cluster, document.plans.at(-1) ?? { steps: [], unserved: [] }, 1, look),
        '',
        ...headline(
          'note',
          'nothing was changed',
          summarizePlan(document.plans.at(-1) ?? { steps: [], unserved: [] }),
          look,
        ),
      ];
    case 'declined':
      return headline('note', 'nothing was done', '', look);
    case 'unconfirmed':
      return headline('unknown', 'nothing was done', confirmHint(document, look), look);
    case 'interrupted':
      return headline('unknown', 'interrupted', `${countApplied(document)}; run the same command again to go on`, look);
    case 'remaining':
    case 'unknown':
      return [
        ...headline('broken', `${what} is not put back entirely`, countApplied(document), look),
        ...document.applied
          .filter(({ result }) => result !== 'done')
          .flatMap(({ title, note }) =>
            flow([{ text: title, style: look.palette.bold }, { text: note === '' ? '' : `: ${note}` }], {
              width: look.width,
              first: `  ${look.palette.red('✖')} `,
              rest: '    ',
            }),
          ),
      ];
  }
}

function confirmHint(document: HealDocument, look: Look): string {
  const target = document.undoes === null ? `--name ${document.cluster}` : document.undoes;
  return `nobody is there to confirm it; \`${look.program} ${document.command} ${target} --yes\` applies it unasked`;
}

function describeUndoHint(document: HealDocument, look: Look): string[] {
  if (document.run === null) return [];
  const { palette } = look;
  return [`  ${palette.bold('Undo:')} ${palette.cyan(`${look.program} undo ${document.run}`)}`];
}

function headline(what: 'healthy' | 'broken' | 'unknown' | 'note', text: string, detail: string, look: Look): string[] {
  const mark = markOf(what, look.palette);
  return flow([{ text, style: look.palette.bold }, { text: detail === '' ? '' : `: ${detail}` }], {
    width: look.width,
    first: `${mark.style(mark.symbol)} `,
    rest: '  ',
  });
}
