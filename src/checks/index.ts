import { apiserverAddressMissing } from './certificates/apiserver-address-missing.ts';
import { apiserverMissing } from './certificates/apiserver-missing.ts';
import { type Check, layers } from './check.ts';
import { nodeStopped } from './containers/node-stopped.ts';
import { restartPolicy } from './containers/restart-policy.ts';
import { apiUnreachable } from './control-plane/api-unreachable.ts';
import { controllersStalled } from './control-plane/controllers-stalled.ts';
import { portUnreachable } from './control-plane/port-unreachable.ts';
import { enginePermissionDenied } from './engine/permission-denied.ts';
import { engineUnreachable } from './engine/unreachable.ts';
import { kubeconfigInvalid } from './host/kubeconfig-invalid.ts';
import { kubeconfigStale } from './host/kubeconfig-stale.ts';
import { addressChanged } from './network/address-changed.ts';
import { componentEndpointStale } from './node/component-endpoint-stale.ts';
import { kubeletDown } from './node/kubelet-down.ts';
import { kubeletEndpointStale } from './node/kubelet-endpoint-stale.ts';
import { leftoverFiles } from './node/leftover-files.ts';
import { manifestAddressStale } from './node/manifest-address-stale.ts';
import { nodeAddressStale } from './nodes/address-stale.ts';
import { containerMissing } from './nodes/container-missing.ts';
import { nodeNotReady } from './nodes/not-ready.ts';

/** Every check, from the bottom layer up. */
export const checks: readonly Check[] = [
  engineUnreachable,
  enginePermissionDenied,
  nodeStopped,
  restartPolicy,
  addressChanged,
  manifestAddressStale,
  kubeletEndpointStale,
  componentEndpointStale,
  leftoverFiles,
  apiserverMissing,
  apiserverAddressMissing,
  apiUnreachable,
  portUnreachable,
  controllersStalled,
  kubeletDown,
  nodeNotReady,
  nodeAddressStale,
  containerMissing,
  kubeconfigInvalid,
  kubeconfigStale,
].sort((left, right) => layers.indexOf(left.layer) - layers.indexOf(right.layer));
