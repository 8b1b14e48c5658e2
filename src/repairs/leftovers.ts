import { nodesOf } from '../facts/select.ts';
import type { Repair } from './repair.ts';

export const removeLeftovers: Repair = {
  mends: ['node/leftover-files'],
  title: "Removes rekindle's own temporary files, which an interrupted run left behind",
  byHand: ['docker exec {node} find /etc/kubernetes /kind /var/lib/kubelet -name ".rekindle-*"'],
  propose: ({ subject }, facts) => ({
    kind: 'steps',
    steps: (nodesOf(facts).find(({ container }) => container.name === subject)?.inside?.leftovers ?? []).map(
      (path) => ({
        step: { kind: 'remove-file', node: subject, path },
        risk: 'safe',
        reason: 'an interrupted run left it behind',
      }),
    ),
  }),
};
