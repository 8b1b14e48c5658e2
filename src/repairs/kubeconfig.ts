import { nodesOf } from '../facts/select.ts';
import type { Repair } from './repair.ts';

/** Puts the cluster's entry into this host's kubeconfig, read from the node; other entries stay as they are, a backup is kept. */
export const mergeKubeconfig: Repair = {
  mends: ['host/kubeconfig-stale'],
  byHand: (_finding, { cluster }) => [`kind export kubeconfig --name ${cluster}`],
  propose: (_finding, facts) => {
    if (!facts.kubeconfig.ok) return { kind: 'told', reason: facts.kubeconfig.reason, byHand: [] };
    const { path, context, expectedServer } = facts.kubeconfig.value;
    const source = nodesOf(facts).find(
      ({ container, inside }) => container.role === 'control-plane' && inside?.kubeconfigs.admin.ok === true,
    );
    if (expectedServer === null || source === undefined) {
      return {
        kind: 'told',
        reason:
          expectedServer === null
            ? 'the API port is not published on this host'
            : 'admin.conf could not be read from a control plane',
        byHand: [`kind export kubeconfig --name ${facts.cluster}`],
      };
    }
    return {
      kind: 'steps',
      steps: [
        {
          step: { kind: 'merge-kubeconfig', path, context, server: expectedServer, node: source.container.name },
          risk: 'safe',
          reason: `context ${context} does not lead to the cluster`,
        },
      ],
    };
  },
};

/** Tells where the file is broken; what else stands in it is the user's, so it is not overwritten. */
export const mendKubeconfigByHand: Repair = {
  mends: ['host/kubeconfig-invalid'],
  byHand: (_finding, { cluster }) => [`kind export kubeconfig --name ${cluster} --kubeconfig <another file>`],
  propose: (_finding, facts) => ({
    kind: 'told',
    reason: 'it may hold entries of yours that a rewrite would lose',
    byHand: facts.kubeconfig.ok
      ? [
          `edit ${facts.kubeconfig.value.path}: ${facts.kubeconfig.value.reason}`,
          `kind export kubeconfig --name ${facts.cluster} --kubeconfig <another file>`,
        ]
      : [],
  }),
};
