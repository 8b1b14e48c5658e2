import type { Plan } from '../repairs/step.ts';
import type { Diagnosis } from './diagnosis.ts';

/**
 * Everything the engine can say while it works, and all it can ask. The engine never prints: a host (terminal, plain,
 * JSON, later the watch and the dashboard) decides what becomes of a message.
 */
export type Message =
  | { readonly code: 'gather-started'; readonly cluster: string }
  | { readonly code: 'gather-ended'; readonly cluster: string }
  | { readonly code: 'diagnosed'; readonly diagnosis: Diagnosis; readonly round: number }
  | {
      readonly code: 'planned';
      readonly cluster: string;
      readonly plan: Plan;
      readonly round: number;
      readonly dryRun: boolean;
    }
  | { readonly code: 'run-started'; readonly cluster: string; readonly run: string; readonly directory: string }
  | { readonly code: 'snapshot-taken'; readonly node: string; readonly path: string; readonly bytes: number }
  | { readonly code: 'snapshot-skipped'; readonly reason: string }
  | { readonly code: 'step-started'; readonly step: string; readonly title: string }
  /** Where a long step stands: `2 of 3 nodes Ready; waiting for idp-mvp-worker`. */
  | { readonly code: 'step-progress'; readonly step: string; readonly text: string }
  | {
      readonly code: 'step-done';
      readonly step: string;
      readonly title: string;
      readonly note: string;
      readonly milliseconds: number;
    }
  | { readonly code: 'step-failed'; readonly step: string; readonly title: string; readonly reason: string }
  | { readonly code: 'step-skipped'; readonly step: string; readonly title: string; readonly reason: string }
  | { readonly code: 'time-over'; readonly cluster: string; readonly milliseconds: number }
  | { readonly code: 'run-ended'; readonly cluster: string; readonly run: string; readonly outcome: HealOutcome };

export interface HealOutcome {
  /** `healthy`: nothing was wrong. `healed`: gathered again and found well. `remaining`: findings are left. `unknown`: could not look. */
  readonly verdict: 'healthy' | 'healed' | 'remaining' | 'unknown' | 'planned' | 'declined' | 'interrupted';
  readonly cluster: string;
  /** The run's id; null where no step was applied. */
  readonly run: string | null;
  readonly diagnosis: Diagnosis;
  /** Every plan made, one per round. */
  readonly plans: readonly Plan[];
  readonly applied: readonly {
    readonly title: string;
    readonly result: 'done' | 'failed' | 'skipped';
    readonly note: string;
  }[];
  /** From the confirmed plan to all nodes Ready with the right addresses; null where they were all along, or are not. */
  readonly millisecondsToReady: number | null;
}

export interface Question {
  readonly code: 'apply-plan' | 'undo-run';
  readonly text: string;
  readonly defaultAnswer: boolean;
}

/** `unanswered`: nobody is there to ask (no terminal and no --yes). */
export type Answer = 'yes' | 'no' | 'unanswered';

export interface Host {
  tell(message: Message): void;
  ask(question: Question, signal: AbortSignal): Promise<Answer>;
}
