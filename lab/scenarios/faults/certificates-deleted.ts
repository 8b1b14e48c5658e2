import { pickNode } from '../cluster.ts';
import { probeApiServer, runInNode, stopStaticPod } from '../node.ts';
import { waitFor } from '../waiting.ts';
import type { Fault } from './fault.ts';

/**
 * The API server's certificate and key are gone while /kind/old-ipv4 holds the current address already: a crash between
 * the entrypoint's `rm` and its `kubeadm`. No later boot makes them again. With `boot` the container is restarted
 * afterwards, which shows just that; otherwise the API server alone is stopped. Either way it cannot come back.
 */
export const certificatesDeleted: Fault = {
  name: 'certificates-deleted',
  summary: "delete the API server's certificate and key, and stop it (or, with `boot`, restart the container)",
  argument: '[boot]',
  async stage(cluster, argument) {
    if (argument !== undefined && argument !== 'boot') {
      throw new Error(`the argument is boot or nothing, not ${argument}`);
    }
    const node = await pickNode(cluster, undefined);
    await runInNode(cluster, node, [
      'rm',
      '-f',
      '/etc/kubernetes/pki/apiserver.crt',
      '/etc/kubernetes/pki/apiserver.key',
    ]);
    if (argument === 'boot') {
      // Keeps the address: it is freed and dealt again at once.
      await cluster.lab.run(['docker', 'restart', '--time', '5', node.name]);
    } else {
      await stopStaticPod(cluster, node, 'kube-apiserver');
    }
    const { address } = await pickNode(cluster, node.name);
    await waitFor(
      cluster.lab,
      `the API server of ${node.name} to be gone`,
      async () => (await probeApiServer(cluster, { name: node.name, address })) !== 0,
      { timeoutMs: 60_000 },
    );
    return { node: node.name, address, addressKept: address === node.address };
  },
};
