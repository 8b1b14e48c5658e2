import type { Answer, Question } from '../../engine/messages.ts';
import { describeBriefly } from '../render/diagnosis.ts';
import { describePlan } from '../render/plan.ts';
import { cleanDeep, cleanText } from '../text/clean.ts';
import type { CommandHost, HostOptions } from './host.ts';
import { describeMessage } from './message-text.ts';
import { makeLook, presentTable } from './present.ts';

/** For logs and dumb terminals: one line for each event on standard error, nothing redrawn. */
export function openPlainHost(options: HostOptions): CommandHost {
  const { stderr } = options.streams;
  return {
    tell: (raw) => {
      const message = cleanDeep(raw);
      if (!options.narrate && message.code !== 'gather-started') return;
      // A dry run's plan is the result, and is shown as such.
      if (message.code === 'planned' && !message.dryRun && message.plan.steps.length > 0) {
        const lines = describePlan(message.cluster, message.plan, message.round, makeLook(stderr, options));
        stderr.write(`\n${lines.join('\n')}\n\n`);
        return;
      }
      if (message.code === 'diagnosed' && message.round === 1 && message.diagnosis.findings.length > 0) {
        stderr.write(`${describeBriefly(message.diagnosis, makeLook(stderr, options)).join('\n')}\n`);
        return;
      }
      const line = describeMessage(message);
      if (line !== null) stderr.write(`${line}\n`);
    },
    ask: (question, signal) => askLine(question, signal, options),
    present: (document) => presentTable(document, options),
    close: () => undefined,
  };
}

/** A question without any drawing; only where both sides of it are a terminal. */
async function askLine(question: Question, signal: AbortSignal, options: HostOptions): Promise<Answer> {
  const { stdin, stderr } = options.streams;
  if (!stdin.isTerminal || !stderr.isTerminal) return 'unanswered';
  const { createInterface } = await import('node:readline/promises');
  const reader = createInterface({ input: stdin.raw, output: stderr.raw, terminal: false });
  try {
    const choices = question.defaultAnswer ? '[Y/n]' : '[y/N]';
    const answer = (await reader.question(`${cleanText(question.text)} ${choices} `, { signal })).trim().toLowerCase();
    if (answer === '') return question.defaultAnswer ? 'yes' : 'no';
    return answer === 'y' || answer === 'yes' ? 'yes' : 'no';
  } catch (error) {
    if (signal.aborted) return 'no';
    throw error;
  } finally {
    reader.close();
  }
}
