import { pickNode } from '../cluster.ts';
import type { Fault } from './fault.ts';

/** Stops one node's container (the first control plane's where none is named), as a person does by hand. */
export const stopNode: Fault = {
  name: 'stop-node',
  summary: 'docker stop one node',
  argument: '[NODE]',
  async stage(cluster, argument) {
    const node = await pickNode(cluster, argument);
    await cluster.lab.run(['docker', 'stop', node.name]);
    return { stopped: node.name };
  },
};
