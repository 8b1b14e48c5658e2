import { certificateWithoutAddress } from './certificate-without-address.ts';
import { certificatesDeleted } from './certificates-deleted.ts';
import { cutRewrite } from './cut-rewrite.ts';
import type { Fault } from './fault.ts';
import { halfRewrite } from './half-rewrite.ts';
import { kubeconfigPort } from './kubeconfig-port.ts';
import { lowInotify } from './low-inotify.ts';
import { oldEntrypoint } from './old-entrypoint.ts';
import { reconnect } from './reconnect.ts';
import { noRestartPolicy } from './restart-policy.ts';
import { shuffle } from './shuffle.ts';
import { staleComponent } from './stale-component.ts';
import { staleEndpoint } from './stale-endpoint.ts';
import { stopAll } from './stop-all.ts';
import { stopKubelet } from './stop-kubelet.ts';
import { stopNode } from './stop-node.ts';

/** Every fault, in the order in which they are listed. */
export const faults: readonly Fault[] = [
  shuffle,
  oldEntrypoint,
  staleEndpoint,
  staleComponent,
  reconnect,
  stopAll,
  stopNode,
  stopKubelet,
  noRestartPolicy,
  certificateWithoutAddress,
  certificatesDeleted,
  halfRewrite,
  cutRewrite,
  kubeconfigPort,
  lowInotify,
];
