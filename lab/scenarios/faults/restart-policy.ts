import { pickNode } from '../cluster.ts';
import type { Fault } from './fault.ts';

/** Takes away a node's restart policy (the first control plane's where none is named): the engine's next start leaves it down. */
export const noRestartPolicy: Fault = {
  name: 'no-restart-policy',
  summary: "set a node's restart policy to no",
  argument: '[NODE]',
  async stage(cluster, argument) {
    const node = await pickNode(cluster, argument);
    await cluster.lab.run(['docker', 'update', '--restart=no', node.name]);
    return { node: node.name };
  },
};
