import { type Cluster, type ClusterNode, pickNode } from '../cluster.ts';
import { editNodeFile, probeApiServer, replaceAddress, restartKubelet, stopStaticPod } from '../node.ts';
import { waitFor } from '../waiting.ts';
import type { Fault } from './fault.ts';
import { shuffleAddresses } from './shuffle.ts';

const behind = ['/etc/kubernetes/manifests/etcd.yaml', '/var/lib/kubelet/kubeadm-flags.env', '/kind/kubeadm.conf'];

/**
 * A crash in the middle of the entrypoint's rewriting. After a shuffle the first control plane's etcd.yaml,
 * kubeadm-flags.env and kubeadm.conf name the old address again, while the other files and /kind/old-ipv4 hold the new
 * one, so that no later boot finishes the work. The kubelet is restarted and etcd stopped: etcd cannot bind to the old
 * address, and the API is gone, though for a while it still answers from its cache.
 */
export const halfRewrite: Fault = {
  name: 'half-rewrite',
  summary: 'shuffle, then put the old address back in some files of the first control plane',
  async stage(cluster) {
    const { moved } = await shuffleAddresses(cluster);
    const node = await pickNode(cluster, undefined);
    const change = moved.find((each) => each.node === node.name);
    const from = change?.from ?? '';
    // The boot's own rewriting comes first; else it would undo ours.
    await waitFor(
      cluster.lab,
      `the API server of ${node.name}`,
      async () => (await probeApiServer(cluster, node)) === 0,
      {
        timeoutMs: 120_000,
      },
    );
    return { moved, ...(await writeBehind(cluster, node, from)) };
  },
};

/** Puts `from` where the node's current address stands, in a part of its files, and makes the kubelet act on it. */
export async function writeBehind(
  cluster: Cluster,
  node: ClusterNode,
  from: string,
): Promise<{ node: string; behind: string[] }> {
  const changed: string[] = [];
  for (const path of behind) {
    if (await editNodeFile(cluster, node, path, (text) => replaceAddress(text, node.address, from))) {
      changed.push(path);
    }
  }
  await restartKubelet(cluster, node);
  // A kubelet that cannot reach the API does not end the container made from the file's former text; a boot would have.
  await stopStaticPod(cluster, node, 'etcd');
  await waitFor(cluster.lab, `etcd of ${node.name} to fail`, async () => (await probeApiServer(cluster, node)) !== 0, {
    timeoutMs: 120_000,
  });
  return { node: node.name, behind: changed };
}
