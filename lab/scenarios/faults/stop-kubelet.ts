import { pickNode } from '../cluster.ts';
import { runInNode } from '../node.ts';
import type { Fault } from './fault.ts';

/** Stops a node's kubelet (the first control plane's where none is named). What it runs goes on; nobody watches over it. */
export const stopKubelet: Fault = {
  name: 'stop-kubelet',
  summary: "stop a node's kubelet",
  argument: '[NODE]',
  async stage(cluster, argument) {
    const node = await pickNode(cluster, argument);
    await runInNode(cluster, node, ['systemctl', 'stop', 'kubelet']);
    return { node: node.name };
  },
};
