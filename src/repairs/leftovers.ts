import type { Facts } from '../facts/facts.ts';
import { nodesOf } from '../facts/select.ts';
import type { Repair } from './repair.ts';

/** Removes rekindle's own temporary files, which an interrupted run left behind. */
export const removeLeftovers: Repair = {
  mends: ['node/leftover-files'],
  byHand: ({ subject }, facts) => leftoversOf(subject, facts).map((path) => `docker exec ${subject} rm -f ${path}`),
  propose: ({ subject }, facts) => ({
    kind: 'steps',
    steps: leftoversOf(subject, facts).map((path) => ({
      step: { kind: 'remove-file', node: subject, path },
      risk: 'safe',
      reason: 'an interrupted run left it behind',
    })),
  }),
};

function leftoversOf(subject: string, facts: Facts): readonly string[] {
  const leftovers = nodesOf(facts).find(({ container }) => container.name === subject)?.inside?.leftovers;
  return leftovers?.ok === true ? leftovers.value : [];
}
