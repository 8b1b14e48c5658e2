import { pickNode } from '../cluster.ts';
import { probeApiServer, replaceAddress, runInNode, stopStaticPod, unusedAddress } from '../node.ts';
import { waitFor } from '../waiting.ts';
import type { Fault } from './fault.ts';

const curlCertificateUnfit = 60;

/**
 * An API server whose certificate lacks the node's current address: what a crash leaves behind that falls between the
 * entrypoint's two last acts, storing the new address and making the certificate again. kubeadm signs one for another
 * address, from a copy of the node's own configuration, and the API server is restarted until it serves it.
 */
export const certificateWithoutAddress: Fault = {
  name: 'certificate-without-address',
  summary: "re-issue the API server's certificate for another address than the node's, and serve it",
  argument: '[NODE]',
  async stage(cluster, argument) {
    const node = await pickNode(cluster, argument);
    const other = unusedAddress(node.address);
    const copy = '/root/lab-kubeadm.conf';
    const configuration = await runInNode(cluster, node, ['cat', '/kind/kubeadm.conf']);
    await runInNode(cluster, node, ['dd', `of=${copy}`, 'status=none'], {
      stdin: replaceAddress(configuration, node.address, other),
    });
    await runInNode(cluster, node, [
      'rm',
      '-f',
      '/etc/kubernetes/pki/apiserver.crt',
      '/etc/kubernetes/pki/apiserver.key',
    ]);
    await runInNode(cluster, node, ['kubeadm', 'init', 'phase', 'certs', 'apiserver', '--config', copy]);
    await runInNode(cluster, node, ['rm', '-f', copy]);
    await stopStaticPod(cluster, node, 'kube-apiserver');
    await waitFor(
      cluster.lab,
      `the API server of ${node.name} to serve the certificate for ${other}`,
      async () => (await probeApiServer(cluster, node)) === curlCertificateUnfit,
      { timeoutMs: 120_000 },
    );
    return { node: node.name, address: node.address, certificateFor: other };
  },
};
