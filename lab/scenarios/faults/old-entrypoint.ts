import { type Cluster, listControlPlanes, listKubernetesNodes } from '../cluster.ts';
import { attemptInNode, editNodeFile, runInNode } from '../node.ts';
import type { Fault } from './fault.ts';

const entrypoint = '/usr/local/bin/entrypoint';
const original = '/kind/lab-entrypoint';

/**
 * Makes the nodes those of kind <= v0.29 with Kubernetes >= 1.33: the entrypoint no longer rewrites kubelet.conf at
 * boot, and the kubelet.conf of each control plane names the node's own address, as kubeadm wrote it. The cluster goes
 * on running; the next shuffle leaves it with the runbook's fault.
 */
export const oldEntrypoint: Fault = {
  name: 'old-entrypoint',
  summary: 'make the node images behave as those of kind <= v0.29: kubelet.conf is not rewritten at boot',
  async stage(cluster) {
    const changed: string[] = [];
    for (const node of await listKubernetesNodes(cluster)) {
      const text = await runInNode(cluster, node, ['cat', entrypoint]);
      const kept = text.split('\n').filter((line) => !line.includes('/etc/kubernetes/kubelet.conf'));
      if (kept.length < text.split('\n').length) {
        await runInNode(cluster, node, ['cp', '--preserve=all', entrypoint, original]);
        await editNodeFile(cluster, node, entrypoint, () => kept.join('\n'));
        changed.push(node.name);
      }
    }
    return { entrypointChanged: changed, endpointChanged: await writeOwnEndpoints(cluster) };
  },
};

/** Puts back the entrypoint that the image came with. */
export async function restoreEntrypoint(cluster: Cluster): Promise<string[]> {
  const changed: string[] = [];
  for (const node of await listKubernetesNodes(cluster)) {
    if ((await attemptInNode(cluster, node, ['mv', original, entrypoint])).exitCode === 0) {
      changed.push(node.name);
    }
  }
  return changed;
}

/** Writes each control plane's own current address into its kubelet.conf, where kubeadm >= 1.33 had it. */
async function writeOwnEndpoints(cluster: Cluster): Promise<string[]> {
  const changed: string[] = [];
  for (const node of await listControlPlanes(cluster)) {
    if (await writeKubeletEndpoint(cluster, node, `https://${node.address}:6443`)) {
      changed.push(node.name);
    }
  }
  return changed;
}

/** Sets the server of the node's kubelet.conf; the running kubelet notices at its next restart. */
export function writeKubeletEndpoint(
  cluster: Cluster,
  node: { readonly name: string },
  server: string,
): Promise<boolean> {
  return editNodeFile(cluster, node, '/etc/kubernetes/kubelet.conf', (text) =>
    text.replace(/^(\s*server: ).*$/m, (_, key: string) => `${key}${server}`),
  );
}
