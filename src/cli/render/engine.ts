import type { EngineFacts } from '../../facts/engine.ts';
import { noClustersHint } from '../cluster.ts';
import type { ClusterReport } from '../documents.ts';
import { flow } from '../text/flow.ts';
import { type Look, markOf } from './look.ts';
import { describeCommands } from './plan.ts';

/** With the report of a diagnosis: its finding by name, and what its repair tells to do on this platform. */
export function describeEngineFailure(engine: EngineFacts, look: Look, report?: ClusterReport): string[] {
  const { palette, width } = look;
  const mark = markOf('unknown', palette);
  const finding = report?.findings.find(({ layer }) => layer === 'engine');
  const [headline, rest] = splitSentence(sayEngineFailure(engine));
  const id = finding === undefined ? [] : [{ text: `${finding.id}: `, style: palette.dim }];
  const lines = flow([...id, { text: headline, style: palette.bold }, { text: rest }], {
    width,
    first: `${mark.style(mark.symbol)} `,
    rest: '  ',
  });
  const places = engine.attempts.filter(({ endpoint }) => endpoint !== '');
  // One place alone stands in the reason already.
  if (places.length === 1) places.pop();
  if (places.length > 0) lines.push('', `  ${palette.bold('Looked for it at')}`);
  for (const { source, endpoint, reason } of places) {
    lines.push(
      ...flow(
        [{ text: `${endpoint} (${source})` }, { text: reason === undefined ? '' : `: ${reason}`, style: palette.dim }],
        {
          width,
          first: `  ${palette.dim('•')} `,
          rest: '    ',
        },
      ),
    );
  }
  const told = report?.plan.unserved.find((unserved) => unserved.id === finding?.id)?.byHand ?? [];
  if (finding !== undefined && told.length > 0) {
    const commands = [...told, `${look.program} explain ${finding.id}`];
    return [...lines, '', `  ${palette.bold('Next, whichever fits')}`, ...describeCommands(commands, '    ', palette)];
  }
  const next = [{ text: 'Next:', style: palette.bold }, { text: ` ${adviseOnEngine(engine)}` }];
  return [...lines, '', ...flow(next, { width, first: '  ', rest: '        ' })];
}

export function sayEngineFailure(engine: EngineFacts): string {
  if (engine.reason !== '') return engine.reason;
  return engine.state === 'permission-denied'
    ? 'The Docker engine may not be used by this user.'
    : 'No Docker engine answers.';
}

export function adviseOnEngine(engine: EngineFacts): string {
  const named = engine.attempts.filter(({ endpoint }) => endpoint !== '');
  if (engine.state === 'unreachable' && named.length === 1) {
    return `start that engine, or check what ${named[0]?.source} says, and try again`;
  }
  const isLinux = engine.hostPlatform === 'linux';
  if (engine.state === 'permission-denied') {
    return isLinux
      ? '`sudo usermod -aG docker $USER` and a new login let this user in, where the socket belongs to the group docker'
      : 'let this user use Docker, in the settings of Docker Desktop or Rancher Desktop';
  }
  return isLinux
    ? '`sudo systemctl start docker`, or start Docker Desktop or Rancher Desktop, and try again'
    : 'start Docker Desktop or Rancher Desktop, and try again';
}

function splitSentence(text: string): [string, string] {
  const end = text.indexOf('. ');
  return end === -1 ? [text, ''] : [text.slice(0, end + 1), text.slice(end + 1)];
}

export function describeNoClusters(look: Look): string[] {
  const mark = markOf('note', look.palette);
  return [
    `${mark.style(mark.symbol)} ${look.palette.bold('This Docker engine has no kind clusters')}`,
    ...flow([{ text: noClustersHint, style: look.palette.dim }], { width: look.width, first: '  ' }),
  ];
}
