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

/** Puts back the entrypoint that the image came with, and the endpoints that kubeadm wrote. */
export async function restoreEntrypoint(cluster: Cluster): Promise<string[]> {
  const changed = await writeOwnEndpoints(cluster);
  for (const node of await listKubernetesNodes(cluster)) {
    if ((await attemptInNode(cluster, node, ['mv', original, entrypoint])).exitCode === 0) {
      changed.push(node.name);
    }
  }
  return changed;
}

/** Writes each control plane's own current address where kubeadm >= 1.33 had it. */
async function writeOwnEndpoints(cluster: Cluster): Promise<string[]> {
  const changed: string[] = [];
  for (const node of await listControlPlanes(cluster)) {
    for (const file of ['kubelet', 'controller-manager', 'scheduler']) {
      if (await writeEndpoint(cluster, node, file, `https://${node.address}:6443`))
        changed.push(`${node.name}: ${file}.conf`);
    }
  }
  return changed;
}

/** Sets the server in one of the node's kubeconfigs; who reads it notices at its next start. */
export function writeEndpoint(
  cluster: Cluster,
  node: { readonly name: string },
  component: string,
  server: string,
): Promise<boolean> {
  return editNodeFile(cluster, node, `/etc/kubernetes/${component}.conf`, (text) =>
    text.replace(/^(\s*server: ).*$/m, (_, key: string) => `${key}${server}`),
  );
}
