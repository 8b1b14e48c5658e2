import { pickNode } from '../../../scenarios/cluster.ts';
import { occupyAddress } from '../../../scenarios/faults/helpers.ts';
import { type CrashFault, noDamage, pickKubernetesNode } from '../crash-fault.ts';

/**
 * A node is killed, comes back with another address, and is killed once more in the middle of its boot: whatever the
 * entrypoint had done by then stays, and the rest is left to the next start.
 */
export const cutBoot: CrashFault = {
  name: 'cut-boot',
  weight: 8,
  draw(dice, nodes) {
    // The entrypoint begins to rewrite after about 0.45 s; making the certificate takes most of its time.
    const milliseconds = dice.chance(0.6) ? dice.between(360, 640) : dice.between(640, 1400);
    return `${pickKubernetesNode(dice, nodes)} ${milliseconds} ${dice.pick(['start', 'leave'])}`;
  },
  async stage({ cluster }, argument = '') {
    const [name = '', milliseconds, after] = argument.split(' ');
    const { lab } = cluster;
    const node = await pickNode(cluster, name);
    await lab.attempt(['docker', 'kill', name]);
    await occupyAddress(cluster, name, node.address);
    await lab.run(['docker', 'start', name]);
    await lab.clock.sleep(Number(milliseconds));
    await lab.run(['docker', 'kill', name]);
    if (after === 'start') await lab.run(['docker', 'start', name]);
    return noDamage;
  },
};
