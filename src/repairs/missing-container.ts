import type { FindingRef } from './step.ts';
import type { Repair } from './repair.ts';

/** A container that was removed took its /var with it, unless the volume is still there: nothing here can bring it back. */
export const tellOfMissingContainer: Repair = {
  mends: ['nodes/container-missing'],
  byHand: lookForIt,
  propose: (finding) => ({
    kind: 'told',
    reason: 'its container was removed, and rekindle creates no containers',
    byHand: lookForIt(finding),
  }),
};

function lookForIt({ subject }: FindingRef): readonly string[] {
  return [
    `docker ps -a --filter name=${subject}           # renamed, or stripped of its labels?`,
    'docker volume ls --filter dangling=true        # its /var may still be there; copy it before any clean-up',
    `kubectl delete node ${subject}                  # once it is given up`,
  ];
}
