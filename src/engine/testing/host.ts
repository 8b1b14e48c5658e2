import type { Answer, Host, Message, Question } from '../messages.ts';

export interface RecordingHost extends Host {
  readonly messages: Message[];
  readonly questions: Question[];
}

/** Answers each question with the next answer, the last one for good; `onMessage` is told of every message. */
export function makeHost(
  answers: readonly Answer[] = ['yes'],
  onMessage: (message: Message) => void = () => undefined,
): RecordingHost {
  const messages: Message[] = [];
  const questions: Question[] = [];
  return {
    messages,
    questions,
    tell(message) {
      messages.push(message);
      onMessage(message);
    },
    async ask(question) {
      questions.push(question);
      return answers[questions.length - 1] ?? answers.at(-1) ?? 'unanswered';
    },
  };
}
