import { pickNode, removeHelpers } from '../cluster.ts';
import type { Fault } from './fault.ts';
import { occupyAddress } from './helpers.ts';

/**
 * Gives one node (the first control plane where none is named) a new address while it runs, so that its entrypoint never
 * sees it: the container leaves kind's network, squatters take the free addresses up to and including
 * its own, the container joins again. The interface may come back under another name. `--clean` removes the squatters,
 * which else keep the old address taken.
 */
export const reconnect: Fault = {
  name: 'reconnect',
  summary: 'give a node a new address while it runs: its entrypoint never sees it',
  argument: '[NODE]',
  async stage(cluster, argument) {
    const node = await pickNode(cluster, argument);
    await cluster.lab.run(['docker', 'network', 'disconnect', 'kind', node.name]);
    const squatters = await occupyAddress(cluster, node.name, node.address);
    await cluster.lab.run(['docker', 'network', 'connect', 'kind', node.name]);
    const { address } = await pickNode(cluster, node.name);
    if (address === node.address) {
      throw new Error(`${node.name} got its old address ${address} again`);
    }
    return { node: node.name, from: node.address, to: address, squatters };
  },
  clean: async (cluster) => ({ removed: await removeHelpers(cluster) }),
};
