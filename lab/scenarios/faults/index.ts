import { certificateWithoutAddress } from './certificate-without-address.ts';
import { certificatesDeleted } from './certificates-deleted.ts';
import type { Fault } from './fault.ts';
import { halfRewrite } from './half-rewrite.ts';
import { kubeconfigPort } from './kubeconfig-port.ts';
import { lowInotify } from './low-inotify.ts';
import { oldEntrypoint } from './old-entrypoint.ts';
import { reconnect } from './reconnect.ts';
import { shuffle } from './shuffle.ts';
import { staleEndpoint } from './stale-endpoint.ts';
import { stopAll } from './stop-all.ts';

/** Every fault of the real lab, in the order in which they are listed. */
export const faults: readonly Fault[] = [
  shuffle,
  oldEntrypoint,
  staleEndpoint,
  reconnect,
  stopAll,
  certificateWithoutAddress,
  certificatesDeleted,
  halfRewrite,
  kubeconfigPort,
  lowInotify,
];
