import type { Message } from '../../engine/messages.ts';
import { countFindings } from '../render/diagnosis.ts';
import { summarizePlan } from '../render/plan.ts';
import { formatDuration } from '../text/duration.ts';
import { count } from '../text/words.ts';

/** A message as one line without colours; null for those that have nothing to tell by themselves. */
export function describeMessage(message: Message): string | null {
  switch (message.code) {
    case 'gather-started':
      return `looking at ${message.cluster === '' ? 'the engine' : message.cluster}`;
    case 'gather-ended':
      return null;
    case 'diagnosed':
      return `${message.diagnosis.cluster} is ${message.diagnosis.verdict}: ${describeCounts(message.diagnosis)}`;
    case 'planned':
      return `plan for ${message.cluster}${message.round > 1 ? `, round ${message.round}` : ''}: ${summarizePlan(message.plan)}`;
    case 'run-started':
      return `run ${message.run}, kept in ${message.directory}`;
    case 'snapshot-taken':
      return `etcd snapshot of ${message.node}: ${message.path} (${message.bytes} bytes)`;
    case 'snapshot-skipped':
      return `no etcd snapshot: ${message.reason}`;
    case 'step-started':
      return `step ${message.step}: ${message.title}`;
    case 'step-progress':
      return `step ${message.step}: ${message.text}`;
    case 'step-done':
      return `step ${message.step} done in ${formatDuration(message.milliseconds)}${message.note === '' ? '' : `: ${message.note}`}`;
    case 'step-failed':
      return `step ${message.step} failed: ${message.title}: ${message.reason}`;
    case 'step-skipped':
      return `step ${message.step} skipped: ${message.title}: ${message.reason}`;
    case 'time-over':
      return `the ${formatDuration(message.milliseconds)} of --timeout are over; what was begun is in the journal, and the next heal goes on from here`;
    case 'run-ended':
      return null;
  }
}

function describeCounts(diagnosis: Extract<Message, { code: 'diagnosed' }>['diagnosis']): string {
  const parts: string[] = [];
  if (diagnosis.findings.length > 0) parts.push(countFindings(diagnosis.findings));
  if (diagnosis.unknown.length > 0) parts.push(`${count(diagnosis.unknown.length, 'check')} had nothing to look at`);
  return parts.length > 0 ? parts.join(', ') : `${count(diagnosis.passed.length, 'check')} passed`;
}
