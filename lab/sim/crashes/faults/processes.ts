import { runInNode, stopStaticPod } from '../../../scenarios/node.ts';
import { type CrashFault, noDamage, pickControlPlane, pickKubernetesNode } from '../crash-fault.ts';

/** A node's container runtime is stopped: what it runs goes on, and nothing can be started. */
export const stopRuntime: CrashFault = {
  name: 'stop-containerd',
  weight: 3,
  draw: pickKubernetesNode,
  async stage({ cluster }, name = '') {
    await runInNode(cluster, { name }, ['systemctl', 'stop', 'containerd']);
    return noDamage;
  },
};

/** One component is ended, as when the kernel runs out of memory; its kubelet starts another. */
export const stopComponent: CrashFault = {
  name: 'stop-component',
  weight: 3,
  draw: (dice, nodes) =>
    `${pickControlPlane(dice, nodes)} ${dice.pick(['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'])}`,
  async stage({ cluster }, argument = '') {
    const [name = '', component = ''] = argument.split(' ');
    await stopStaticPod(cluster, { name }, component);
    return noDamage;
  },
};

/** The first process of a node's container ends by itself: the restart policy decides what follows. */
export const nodeExit: CrashFault = {
  name: 'node-exit',
  weight: 3,
  draw: (dice, nodes) => `${pickKubernetesNode(dice, nodes)} ${dice.pick([0, 1, 137])}`,
  stage({ world }, argument = '') {
    const [node = '', exitCode] = argument.split(' ');
    world.docker.exit(node, Number(exitCode));
    return Promise.resolve(noDamage);
  },
};

/** An earlier rekindle was killed between writing a file's new bytes and putting them in place. */
export const leftoverFile: CrashFault = {
  name: 'leftover-file',
  weight: 2,
  draw: (dice, nodes) =>
    `${pickKubernetesNode(dice, nodes)} ${dice.pick(['/etc/kubernetes', '/var/lib/kubelet'])}/.rekindle-20261130-080000-abcd-1-1`,
  stage({ simCluster }, argument = '') {
    const [node = '', path = ''] = argument.split(' ');
    simCluster.guests.get(node)?.files.write(path, 'half a file', { mode: 0o600 });
    return Promise.resolve(noDamage);
  },
};
