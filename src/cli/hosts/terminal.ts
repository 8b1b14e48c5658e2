import type { Answer, Message, Question } from '../../engine/messages.ts';
import { describeBriefly } from '../render/diagnosis.ts';
import { type Look, markOf } from '../render/look.ts';
import { describePlan } from '../render/plan.ts';
import { cleanDeep, cleanText } from '../text/clean.ts';
import { formatDuration } from '../text/duration.ts';
import { flow } from '../text/flow.ts';
import type { CommandHost, HostOptions } from './host.ts';
import { type LiveRegion, openLiveRegion } from './live-region.ts';
import { describeMessage } from './message-text.ts';
import { makeLook, presentTable } from './present.ts';

/** For people: progress redrawn in place on standard error, questions with a prompt, the result on standard output. */
export function openTerminalHost(options: HostOptions): CommandHost {
  const look = makeLook(options.streams.stderr, options);
  const region = openLiveRegion(options.streams, options.surroundings.clock, look.palette);
  return {
    tell: (raw) => {
      const message = cleanDeep(raw);
      showProgress(message, region);
      if (options.narrate) {
        const lines = narrate(message, look);
        if (lines.length > 0) region.write(lines);
      }
    },
    ask: (question, signal) => {
      region.clear();
      return askPrompt(question, signal, options);
    },
    present: (document) => {
      region.clear();
      presentTable(document, options);
    },
    close: () => region.clear(),
  };
}

function showProgress(message: Message, region: LiveRegion): void {
  switch (message.code) {
    case 'gather-started':
      region.show(`gather ${message.cluster}`, `looking at ${message.cluster === '' ? 'the engine' : message.cluster}`);
      break;
    case 'gather-ended':
      region.remove(`gather ${message.cluster}`);
      break;
    case 'step-started':
      region.show(`step ${message.step}`, message.title);
      break;
    case 'step-progress':
      region.update(`step ${message.step}`, message.text);
      break;
    case 'step-done':
    case 'step-failed':
    case 'step-skipped':
      region.remove(`step ${message.step}`);
      break;
    case 'run-ended':
      region.clear();
      break;
    default:
      break;
  }
}

function narrate(message: Message, look: Look): string[] {
  switch (message.code) {
    case 'diagnosed':
      // Later rounds and the end are told by their plan and by the result.
      return message.round > 1 || message.diagnosis.findings.length === 0
        ? []
        : describeBriefly(message.diagnosis, look);
    case 'planned':
      // A dry run's plan is the result, and is shown as such.
      return message.dryRun || message.plan.steps.length === 0
        ? []
        : ['', ...describePlan(message.cluster, message.plan, message.round, look), ''];
    case 'run-started':
      return [look.palette.dim(`run ${message.run}`)];
    case 'snapshot-taken':
      return describeEvent('healthy', `etcd snapshot of ${message.node}`, message.path, look);
    case 'snapshot-skipped':
      return describeEvent('note', 'no etcd snapshot', message.reason, look);
    case 'step-done': {
      const time = message.milliseconds < 50 ? '' : formatDuration(message.milliseconds);
      return describeEvent('healthy', message.title, [message.note, time].filter(Boolean).join(', '), look);
    }
    case 'time-over':
      return describeEvent('error', 'time is over', describeMessage(message) ?? '', look);
    case 'step-failed':
      return describeEvent('error', message.title, message.reason, look);
    case 'step-skipped':
      return describeEvent('note', message.title, `skipped: ${message.reason}`, look);
    default:
      return [];
  }
}

function describeEvent(what: 'healthy' | 'error' | 'note', title: string, detail: string, look: Look): string[] {
  const mark = markOf(what, look.palette);
  return flow([{ text: title }, { text: detail === '' ? '' : ` ${detail}`, style: look.palette.dim }], {
    width: look.width,
    first: `${mark.style(mark.symbol)} `,
    rest: '  ',
  });
}

async function askPrompt(question: Question, signal: AbortSignal, options: HostOptions): Promise<Answer> {
  const { stdin, stderr } = options.streams;
  if (!stdin.isTerminal) return 'unanswered';
  const { confirm, isCancel } = await import('@clack/prompts');
  const answer = await confirm({
    message: cleanText(question.text),
    initialValue: question.defaultAnswer,
    input: stdin.raw,
    output: stderr.raw,
    signal,
    withGuide: false,
  });
  if (isCancel(answer)) {
    if (!signal.aborted) options.interrupt();
    return 'no';
  }
  return answer ? 'yes' : 'no';
}
