import { pickNode } from '../cluster.ts';
import { unusedAddress } from '../node.ts';
import type { Fault } from './fault.ts';
import { writeBehind } from './half-rewrite.ts';

/** half-rewrite without the shuffle: a part of the first control plane's files names an address that nobody has. */
export const cutRewrite: Fault = {
  name: 'cut-rewrite',
  summary: 'put an address that nobody has in some files of the first control plane',
  async stage(cluster) {
    const node = await pickNode(cluster, undefined);
    return await writeBehind(cluster, node, unusedAddress(node.address));
  },
};
