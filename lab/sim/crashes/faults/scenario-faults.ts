import { pickNode } from '../../../scenarios/cluster.ts';
import type { Fault } from '../../../scenarios/faults/fault.ts';
import { certificateWithoutAddress } from '../../../scenarios/faults/certificate-without-address.ts';
import { certificatesDeleted } from '../../../scenarios/faults/certificates-deleted.ts';
import { cutRewrite } from '../../../scenarios/faults/cut-rewrite.ts';
import { halfRewrite } from '../../../scenarios/faults/half-rewrite.ts';
import { kubeconfigPort } from '../../../scenarios/faults/kubeconfig-port.ts';
import { lowInotify } from '../../../scenarios/faults/low-inotify.ts';
import { reconnect } from '../../../scenarios/faults/reconnect.ts';
import { noRestartPolicy } from '../../../scenarios/faults/restart-policy.ts';
import { shuffle } from '../../../scenarios/faults/shuffle.ts';
import { staleComponent } from '../../../scenarios/faults/stale-component.ts';
import { staleEndpoint } from '../../../scenarios/faults/stale-endpoint.ts';
import { stopAll } from '../../../scenarios/faults/stop-all.ts';
import { stopKubelet } from '../../../scenarios/faults/stop-kubelet.ts';
import { stopNode } from '../../../scenarios/faults/stop-node.ts';
import { type CrashFault, noDamage, pickKubernetesNode } from '../crash-fault.ts';

/** The faults of the scenarios, told which node or component by chance. */
export const scenarioFaults: readonly CrashFault[] = [
  adopt(shuffle, 12),
  adopt(staleEndpoint, 5, pickKubernetesNode),
  adopt(staleComponent, 5, (dice) => dice.pick(['controller-manager', 'scheduler'])),
  // A node that does not run would be left without any network, or with an empty address in its files: nothing does that.
  whileRunning(adopt(reconnect, 6, pickKubernetesNode)),
  adopt(stopAll, 4),
  adopt(stopNode, 5, pickKubernetesNode),
  adopt(stopKubelet, 5, pickKubernetesNode),
  adopt(noRestartPolicy, 3, pickKubernetesNode),
  adopt(certificateWithoutAddress, 4),
  adopt(certificatesDeleted, 4, (dice) => (dice.chance(0.5) ? 'boot' : undefined)),
  whileRunning(adopt(halfRewrite, 4)),
  adopt(cutRewrite, 4),
  adopt(lowInotify, 1),
  {
    name: kubeconfigPort.name,
    weight: 3,
    draw: () => undefined,
    async stage({ cluster, visitor }) {
      await kubeconfigPort.stage(cluster, visitor.kubeconfig);
      return noDamage;
    },
  },
];

function adopt(fault: Fault, weight: number, draw: CrashFault['draw'] = () => undefined): CrashFault {
  return {
    name: fault.name,
    weight,
    draw,
    async stage({ cluster }, argument) {
      await fault.stage(cluster, argument);
      return noDamage;
    },
  };
}

/** The node that the argument names, or the first control plane, has to run. */
function whileRunning(fault: CrashFault): CrashFault {
  return {
    ...fault,
    async stage(stage, argument) {
      const node = await pickNode(stage.cluster, argument);
      if (!node.running) throw new Error(`${node.name} does not run`);
      return await fault.stage(stage, argument);
    },
  };
}
