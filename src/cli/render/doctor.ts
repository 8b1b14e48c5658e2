import type { EngineFacts } from '../../facts/engine.ts';
import type { ClusterReport, DoctorDocument } from '../documents.ts';
import { flow, pad } from '../text/flow.ts';
import { count } from '../text/words.ts';
import { countFindings, describeFindings, describeVerdict, orderTrees } from './diagnosis.ts';
import { describeEngineFailure, describeNoClusters } from './engine.ts';
import { type Look, markOf } from './look.ts';
import { describePlan, summarizePlan } from './plan.ts';
import { growTrees } from './tree.ts';

export function describeDoctor(document: DoctorDocument, look: Look): string[] {
  const { engine, clusters } = document;
  if (isUnreachable(engine)) {
    const failure = describeEngineFailure(engine, look, clusters[0]);
    return document.source === 'live' ? failure : [...describeRecording(clusters[0], look), ...failure];
  }
  if (clusters.length === 0) return describeNoClusters(look);
  const reports = clusters.flatMap((report, index) => [
    ...(index > 0 ? [''] : []),
    ...describeReport(report, document.source === 'live', look),
  ]);
  return document.source === 'live' ? reports : [...describeRecording(clusters[0], look), ...reports];
}

/** Whoever reads this must not take it for the state of a cluster of theirs. */
function describeRecording(report: ClusterReport | undefined, look: Look): string[] {
  const when = report === undefined ? '' : ` of ${report.gatheredAt}`;
  const text = `Recorded facts${when}, not a live cluster: what follows was true then.`;
  return [...flow([{ text, style: look.palette.dim }], { width: look.width, first: '' }), ''];
}

export function isUnreachable(engine: EngineFacts | null): engine is EngineFacts {
  return engine !== null && engine.state !== 'reachable';
}

function describeReport(report: ClusterReport, live: boolean, look: Look): string[] {
  const lines = [
    ...describeVerdict(report.cluster, report, describeDetail(report), look),
    ...describeFindings(report, look),
  ];
  if (!live && report.plan.steps.length > 0) lines.push('', ...describePlan(report.cluster, report.plan, 1, look));
  if (report.verdict !== 'healthy') {
    lines.push('', ...describeChecks(report, look));
    lines.push(...describeNext(report, live, look));
  } else if (look.verbose) lines.push('', ...describeChecks(report, look));
  return lines;
}

function describeDetail(report: ClusterReport): string {
  if (report.verdict === 'healthy') {
    const nodes = countNodes(report.nodes);
    const checks = `${count(report.passed.length, 'check')} passed`;
    return nodes === '' ? checks : `${nodes}, ${checks}`;
  }
  if (report.findings.length > 0) return countFindings(report.findings);
  return `${count(report.unknown.length, 'check')} had nothing to look at`;
}

/** `2 of 3 nodes Ready`, `3 nodes` where their state is not known; empty where nothing is. */
export function countNodes(nodes: ClusterReport['nodes']): string {
  if (nodes === null) return '';
  if (nodes.ready === null) return count(nodes.total, 'node');
  if (nodes.ready === nodes.total) {
    return nodes.total === 1 ? 'its node is Ready' : `all ${nodes.total} nodes Ready`;
  }
  return `${nodes.ready} of ${count(nodes.total, 'node')} Ready`;
}

function describeChecks(report: ClusterReport, look: Look): string[] {
  const { palette } = look;
  const counts = [`${count(report.passed.length, 'check')} passed`];
  if (report.skipped.length > 0) counts.push(`${report.skipped.length} skipped`);
  const lines = [`  ${palette.dim(counts.join(', '))}`];
  if (!look.verbose) return lines;
  const passed = markOf('healthy', palette);
  const skipped = markOf('note', palette);
  return [
    ...lines,
    ...report.passed.map((check) => `  ${passed.style(passed.symbol)} ${palette.dim(check)}`),
    ...report.skipped.flatMap(({ check, reason }) =>
      flow([{ text: `${check}: ${reason}`, style: palette.dim }], {
        width: look.width,
        first: `  ${skipped.style(skipped.symbol)} `,
        rest: '    ',
      }),
    ),
  ];
}

/** What to run now: one command a line, with what it is good for beside it. */
function describeNext(report: ClusterReport, live: boolean, look: Look): string[] {
  const { palette, program } = look;
  const cause = orderTrees(growTrees(report.findings))[0]?.finding;
  const commands: [string, string][] = [];
  if (live && report.plan.steps.length > 0) {
    commands.push([`${program} heal --name ${report.cluster}`, `tries ${summarizePlan(report.plan)}`]);
  }
  if (cause !== undefined) commands.push([`${program} explain ${cause.id}`, 'what it means, and the way by hand']);
  if (commands.length === 0 && !look.verbose) {
    commands.push([`${program} doctor --name ${report.cluster} -v`, 'every check, with its evidence']);
  }
  const widest = Math.max(...commands.map(([command]) => command.length), 0);
  return commands.map(([command, purpose], index) => {
    const label = index === 0 ? 'Next: ' : '      ';
    const short = 2 + label.length + widest + 3 + purpose.length > look.width;
    return `  ${palette.bold(label)}${palette.cyan(short ? command : pad(command, widest))}${short ? '' : `   ${palette.dim(purpose)}`}`;
  });
}
