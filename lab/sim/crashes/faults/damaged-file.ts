import { type CrashFault, pickControlPlane, pickKubernetesNode } from '../crash-fault.ts';

/** What is being written when the power goes, on the way from the entrypoint, kubeadm, the kubelet or a person. */
const onControlPlanes = [
  '/etc/kubernetes/manifests/etcd.yaml',
  '/etc/kubernetes/manifests/kube-apiserver.yaml',
  '/etc/kubernetes/manifests/kube-controller-manager.yaml',
  '/etc/kubernetes/manifests/kube-scheduler.yaml',
  '/etc/kubernetes/controller-manager.conf',
  '/etc/kubernetes/scheduler.conf',
  '/etc/kubernetes/admin.conf',
  '/etc/kubernetes/pki/apiserver.crt',
  '/etc/kubernetes/pki/apiserver.key',
  '/etc/kubernetes/pki/apiserver-kubelet-client.crt',
  '/etc/kubernetes/pki/etcd/server.crt',
  '/etc/kubernetes/pki/etcd/peer.key',
] as const;

const everywhere = [
  '/etc/kubernetes/kubelet.conf',
  '/kind/kubeadm.conf',
  '/kind/old-ipv4',
  '/var/lib/kubelet/kubeadm-flags.env',
  '/var/lib/kubelet/config.yaml',
  '/etc/resolv.conf',
] as const;

/** One file of a node is empty, cut short or gone, and what reads it is started again. */
export const damagedFile: CrashFault = {
  name: 'damaged-file',
  weight: 8,
  draw(dice, nodes) {
    const how = dice.pick(['empty', 'cut', 'gone']);
    const where = dice.chance(0.6)
      ? [pickControlPlane(dice, nodes), dice.pick(onControlPlanes)]
      : [pickKubernetesNode(dice, nodes), dice.pick(everywhere)];
    return [...where, how, dice.pick(['restart', 'leave'])].join(' ');
  },
  async stage({ simCluster, cluster }, argument = '') {
    const [node = '', path = '', how, then] = argument.split(' ');
    const files = simCluster.guests.get(node)?.files;
    const contents = files?.read(path);
    if (files === undefined || contents === undefined) throw new Error(`${path} is not in ${node}`);
    if (how === 'gone') files.remove(path);
    else files.write(path, how === 'empty' ? '' : contents.subarray(0, Math.floor(contents.length / 2)));
    if (then === 'restart') {
      // As after a crash of the node alone, which keeps its address.
      await cluster.lab.attempt(['docker', 'kill', node]);
      await cluster.lab.run(['docker', 'start', node]);
    }
    return { files: [`${node}:${path}`] };
  },
};

/** The address that the node believes to have had is not one it ever had, so that its next boot rewrites nothing rightly. */
export const wrongOldAddress: CrashFault = {
  name: 'wrong-old-address',
  weight: 3,
  draw: (dice, nodes) => `${pickKubernetesNode(dice, nodes)} ${dice.pick(['172.18.0.250', '10.0.0.9', 'garbage'])}`,
  stage({ simCluster }, argument = '') {
    const [node = '', address = ''] = argument.split(' ');
    simCluster.guests.get(node)?.files.write('/kind/old-ipv4', address);
    return Promise.resolve({ files: [`${node}:/kind/old-ipv4`] });
  },
};
