import { pickNode } from '../cluster.ts';
import { stopStaticPod, unusedAddress } from '../node.ts';
import type { Fault } from './fault.ts';
import { writeEndpoint } from './old-entrypoint.ts';

/**
 * The controller manager (or the component named) dials an address where nobody listens, as after a rewrite that missed
 * its file: the API answers every query, and nothing moves.
 */
export const staleComponent: Fault = {
  name: 'stale-component',
  summary: "point controller-manager.conf (or another component's) at an address where nobody listens, and restart it",
  argument: '[COMPONENT]',
  async stage(cluster, argument) {
    const component = argument ?? 'controller-manager';
    const node = await pickNode(cluster, undefined);
    const server = `https://${unusedAddress(node.address)}:6443`;
    await writeEndpoint(cluster, node, component, server);
    await stopStaticPod(cluster, node, `kube-${component}`);
    return { node: node.name, component, server };
  },
};
