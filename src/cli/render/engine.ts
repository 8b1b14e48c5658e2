import type { EngineFacts } from '../../facts/engine.ts';
import { noClustersHint } from '../cluster.ts';
import { flow } from '../text/flow.ts';
import { type Look, markOf } from './look.ts';

export function describeEngineFailure(engine: EngineFacts, look: Look): string[] {
  const { palette, width } = look;
  const mark = markOf('unknown', palette);
  const lines = flow(
    [
      { text: sayEngineFailure(engine), style: palette.bold },
      { text: engine.reason === '' ? '' : `: ${engine.reason}` },
    ],
    { width, first: `${mark.style(mark.symbol)} `, rest: '  ' },
  );
  if (engine.attempts.length > 0) lines.push('', `  ${palette.bold('Looked for it in')}`);
  for (const attempt of engine.attempts) {
    const where = attempt.endpoint === '' ? attempt.source : `${attempt.source} ${attempt.endpoint}`;
    lines.push(
      ...flow(
        [{ text: where }, { text: attempt.reason === undefined ? '' : `: ${attempt.reason}`, style: palette.dim }],
        {
          width,
          first: `  ${palette.dim('•')} `,
          rest: '    ',
        },
      ),
    );
  }
  lines.push(
    '',
    ...flow([{ text: 'Next:', style: palette.bold }, { text: ` ${adviseOnEngine(engine)}` }], {
      width,
      first: '  ',
      rest: '        ',
    }),
  );
  return lines;
}

export function sayEngineFailure(engine: EngineFacts): string {
  const where = engine.endpoint === '' ? '' : ` at ${engine.endpoint}`;
  return engine.state === 'permission-denied'
    ? `The Docker engine${where} may not be used by this user`
    : `No Docker engine answers${where}`;
}

export function adviseOnEngine(engine: EngineFacts): string {
  if (engine.state === 'permission-denied') {
    return engine.hostPlatform === 'linux'
      ? 'add this user to the group that owns the socket (`sudo usermod -aG docker $USER`, then log in again), or name another engine with --docker-host'
      : 'allow this user to use Docker, or name another engine with --docker-host';
  }
  return engine.hostPlatform === 'linux'
    ? 'start Docker (`sudo systemctl start docker`, or Docker or Rancher Desktop) and try again, or name another engine with --docker-host'
    : 'start Docker Desktop or Rancher Desktop and try again, or name another engine with --docker-host';
}

export function describeNoClusters(look: Look): string[] {
  const mark = markOf('note', look.palette);
  return [
    `${mark.style(mark.symbol)} ${look.palette.bold('This Docker engine has no kind clusters')}`,
    ...flow([{ text: noClustersHint, style: look.palette.dim }], { width: look.width, first: '  ' }),
  ];
}
