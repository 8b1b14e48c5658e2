import { remakeApiserverCertificate } from './certificates.ts';
import { repointComponents, repointKubelet } from './endpoints.ts';
import { joinEngine, startEngine } from './engine.ts';
import { finishRewrite } from './finish-rewrite.ts';
import { mendKubeconfigByHand, mergeKubeconfig } from './kubeconfig.ts';
import { restartKubelet, restartStalledComponent, reviveApi, reviveNode } from './kubelet.ts';
import { removeLeftovers } from './leftovers.ts';
import { tellOfMissingContainer } from './missing-container.ts';
import { tellOfPublishedPort } from './published-port.ts';
import type { Repair } from './repair.ts';
import { setRestartPolicy, startContainers } from './start-containers.ts';

const repairs: readonly Repair[] = [
  startEngine,
  joinEngine,
  startContainers,
  setRestartPolicy,
  finishRewrite,
  repointKubelet,
  repointComponents,
  removeLeftovers,
  remakeApiserverCertificate,
  reviveApi,
  tellOfPublishedPort,
  tellOfMissingContainer,
  restartStalledComponent,
  restartKubelet,
  reviveNode,
  mergeKubeconfig,
  mendKubeconfigByHand,
];

/** The repair of a finding; undefined for one that is mended through its consequences, such as network/address-changed. */
export function repairFor(findingId: string): Repair | undefined {
  return repairs.find(({ mends }) => mends.includes(findingId));
}
