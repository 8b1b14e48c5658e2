import type { Host } from '../../engine/messages.ts';

export interface ConfirmingHost extends Host {
  /** Whether a question met nobody who could answer it. */
  wasUnanswered(): boolean;
}

/** With --yes every question is answered; without it, it is remembered that nobody was there to. */
export function confirmWith(host: Host, yes: boolean): ConfirmingHost {
  let unanswered = false;
  return {
    tell: (message) => host.tell(message),
    ask: async (question, signal) => {
      if (yes) return 'yes';
      const answer = await host.ask(question, signal);
      if (answer === 'unanswered') unanswered = true;
      return answer;
    },
    wasUnanswered: () => unanswered,
  };
}
