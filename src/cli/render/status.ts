import type { StatusDocument } from '../documents.ts';
import { measure, pad, truncate } from '../text/flow.ts';
import { describeEngineFailure, describeNoClusters } from './engine.ts';
import { isUnreachable } from './doctor.ts';
import { type Look, markOf } from './look.ts';

/** One line for each cluster. */
export function describeStatus(document: StatusDocument, look: Look): string[] {
  const { palette } = look;
  const { clusters, engine } = document;
  if (isUnreachable(engine)) return describeEngineFailure(engine, look);
  if (clusters.length === 0) return describeNoClusters(look);
  const widest = Math.max(...clusters.map(({ cluster }) => measure(cluster)));
  const lines = clusters.map(({ cluster, verdict, summary }) => {
    const mark = markOf(verdict, palette);
    const room = look.width - widest - 2 - 2 - 8 - 2;
    return `${mark.style(mark.symbol)} ${palette.bold(pad(cluster, widest))}  ${mark.style(pad(verdict, 8))}  ${truncate(summary, Math.max(20, room))}`;
  });
  const broken = clusters.find(({ verdict }) => verdict === 'broken');
  const odd = broken ?? clusters.find(({ verdict }) => verdict !== 'healthy');
  if (odd === undefined) return lines;
  const command = `${look.program} ${odd === broken ? 'heal' : 'doctor'} --name ${odd.cluster}`;
  return [...lines, '', `${palette.bold('Next:')} ${palette.cyan(command)}`];
}
