import { type Cluster, listKubernetesNodes } from '../../../scenarios/cluster.ts';
import { runInNode } from '../../../scenarios/node.ts';

/** Path in the node to what is there: hash, mode and owner. */
export type NodeFiles = Readonly<Record<string, string>>;

/** The folders in which a repair may write. The kubelet's own running state is left out: it changes by itself. */
const folders = ['/etc/kubernetes', '/kind', '/var/lib/kubelet/pki', '/usr/local/bin/entrypoint'];
const singleFiles = ['/var/lib/kubelet/config.yaml', '/var/lib/kubelet/kubeadm-flags.env'];

/** sha256, mode and owner of every configuration file, by node and path. */
export async function recordFiles(cluster: Cluster): Promise<Readonly<Record<string, NodeFiles>>> {
  const recorded: Record<string, NodeFiles> = {};
  for (const node of await listKubernetesNodes(cluster)) {
    const find = ['find', ...folders, ...(await existing(cluster, node.name)), '-type', 'f'];
    const [sums, modes] = await Promise.all([
      runInNode(cluster, node, [...find, '-exec', 'sha256sum', '{}', '+']),
      runInNode(cluster, node, [...find, '-printf', '%m %U:%G  %p\\n']),
    ]);
    const sumOf = byPath(sums);
    recorded[node.name] = Object.fromEntries(
      Object.entries(byPath(modes)).map(([path, mode]) => [path, `${sumOf[path]} ${mode}`]),
    );
  }
  return recorded;
}

/** Fingerprint of the cluster's certificate authority and of its service account key, as the first control plane has them. */
export async function recordIdentity(cluster: Cluster): Promise<string> {
  const [node] = (await listKubernetesNodes(cluster)).filter((each) => each.role === 'control-plane');
  return runInNode(cluster, { name: node?.name ?? '' }, [
    'sha256sum',
    '/etc/kubernetes/pki/ca.crt',
    '/etc/kubernetes/pki/etcd/ca.crt',
    '/etc/kubernetes/pki/sa.pub',
  ]);
}

/** What an interrupted run may leave behind and a later one must take away, by node; nodes without any are left out. */
export async function findLeftovers(cluster: Cluster): Promise<Record<string, string[]>> {
  const leftovers: Record<string, string[]> = {};
  for (const node of await listKubernetesNodes(cluster)) {
    const places = ['/etc/kubernetes', '/kind', '/var/lib/kubelet', '/var/lib/rekindle', '/usr/local/bin'];
    const there = (
      await runInNode(cluster, node, ['find', '/etc', '/kind', '/var/lib', '/usr/local', '-maxdepth', '2'])
    )
      .split('\n')
      .filter((path) => places.includes(path));
    const files = await runInNode(cluster, node, ['find', ...there, '-xdev', '-name', '.rekindle-*']);
    const rules = (await runInNode(cluster, node, ['iptables-save']))
      .split('\n')
      .filter((line) => /--comment\s+\S*rekindle/i.test(line));
    const found = [...files.split('\n').filter((path) => path !== ''), ...rules];
    if (found.length > 0) {
      leftovers[node.name] = found;
    }
  }
  return leftovers;
}

async function existing(cluster: Cluster, node: string): Promise<string[]> {
  const listed = await runInNode(cluster, { name: node }, ['find', '/var/lib/kubelet', '-maxdepth', '1', '-type', 'f']);
  return listed.split('\n').filter((path) => singleFiles.includes(path));
}

function byPath(listing: string): Record<string, string> {
  return Object.fromEntries(
    listing
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const cut = line.indexOf('  ');
        return [line.slice(cut + 2), line.slice(0, cut)];
      }),
  );
}
