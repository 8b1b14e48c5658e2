import { dirname } from 'node:path/posix';
import type { CommandResult } from './laboratory.ts';
import type { Cluster, ClusterNode } from './cluster.ts';

/** Standard output of a command inside the node. Rejects with a CommandError where it fails. */
export function runInNode(
  cluster: Cluster,
  node: Pick<ClusterNode, 'name'>,
  argv: readonly string[],
  options: { stdin?: string } = {},
): Promise<string> {
  return cluster.lab.run(['docker', 'exec', '--interactive', node.name, ...argv], options);
}

/** How a command inside the node ended, whatever that was. */
export function attemptInNode(
  cluster: Cluster,
  node: Pick<ClusterNode, 'name'>,
  argv: readonly string[],
): Promise<CommandResult> {
  return cluster.lab.attempt(['docker', 'exec', '--interactive', node.name, ...argv]);
}

/**
 * Changes the text of a file in the node, keeping mode and owner. The new bytes are made beside the file's folder and
 * renamed into place, since the kubelet reads every file of its manifests folder, half-written ones too.
 * Answers whether anything changed.
 */
export async function editNodeFile(
  cluster: Cluster,
  node: Pick<ClusterNode, 'name'>,
  path: string,
  edit: (text: string) => string,
): Promise<boolean> {
  const before = await runInNode(cluster, node, ['cat', path]);
  const after = edit(before);
  if (after === before) {
    return false;
  }
  const staged = `${dirname(dirname(path)).replace(/\/$/, '')}/.lab-staged`;
  await runInNode(cluster, node, ['cp', '--preserve=all', path, staged]);
  await runInNode(cluster, node, ['dd', `of=${staged}`, 'status=none'], { stdin: after });
  await runInNode(cluster, node, ['mv', staged, path]);
  return true;
}

/** Puts one address where another stood, whole addresses only. */
export function replaceAddress(text: string, from: string, to: string): string {
  return text.replaceAll(
    new RegExp(String.raw`(?<![\d.])${from.replaceAll('.', String.raw`\.`)}(?![\d.]*\d)`, 'g'),
    to,
  );
}

export function restartKubelet(cluster: Cluster, node: Pick<ClusterNode, 'name'>): Promise<string> {
  return runInNode(cluster, node, ['systemctl', 'restart', 'kubelet']);
}

/** Stops the container of a static pod; the kubelet then starts a new one. Nothing happens where none runs. */
export async function stopStaticPod(
  cluster: Cluster,
  node: Pick<ClusterNode, 'name'>,
  container: string,
): Promise<void> {
  const ids = await runInNode(cluster, node, ['crictl', 'ps', '--quiet', '--name', `^${container}$`]);
  for (const id of ids.split('\n').filter((line) => line !== '')) {
    await runInNode(cluster, node, ['crictl', 'stop', '--timeout', '5', id]);
  }
}

/**
 * How `curl` of the node's own API server, by the node's current address and with the cluster's CA, ends:
 * 0 it is ready, 7 nobody listens, 22 it is not ready (etcd is away, say), 60 the certificate does not fit; other codes
 * are curl's own.
 */
export async function probeApiServer(cluster: Cluster, node: Pick<ClusterNode, 'name' | 'address'>): Promise<number> {
  const ca = '/etc/kubernetes/pki/ca.crt';
  const url = `https://${node.address}:6443/readyz`;
  const probe = ['curl', '--silent', '--fail', '--output', '/dev/null', '--max-time', '3', '--cacert', ca, url];
  return (await attemptInNode(cluster, node, probe)).exitCode;
}

/** An address of the node's /16 (or smaller) network that no container is likely to hold. */
export function unusedAddress(address: string): string {
  const parts = address.split('.');
  return [...parts.slice(0, 3), '251'].join('.');
}
