import { pickNode } from '../cluster.ts';
import { restartKubelet, unusedAddress } from '../node.ts';
import type { Fault } from './fault.ts';
import { writeEndpoint } from './old-entrypoint.ts';

/**
 * The runbook's fault without a crash, in a second: kubelet.conf of one node (the first control plane where none is
 * named) names an address where nobody listens, and the kubelet is restarted. The node stays Ready for about 40 s more.
 */
export const staleEndpoint: Fault = {
  name: 'stale-endpoint',
  summary: "point a node's kubelet.conf at an address where nobody listens, and restart its kubelet",
  argument: '[NODE]',
  async stage(cluster, argument) {
    const node = await pickNode(cluster, argument);
    const server = `https://${unusedAddress(node.address)}:6443`;
    await writeEndpoint(cluster, node, 'kubelet', server);
    await restartKubelet(cluster, node);
    return { node: node.name, server };
  },
};
