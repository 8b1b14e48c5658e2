import type { CrashFault } from '../crash-fault.ts';
import { noDamage } from '../crash-fault.ts';

/** The engine and everything in it dies; after a while it is back, and starts its containers in some order. */
export const engineCrash: CrashFault = {
  name: 'engine-crash',
  weight: 10,
  draw: (dice, nodes) => [dice.between(0, 30), ...dice.mix(nodes.map(({ name }) => name))].join(' '),
  async stage({ world, cluster }, argument = '0') {
    const [seconds, ...order] = argument.split(' ');
    world.docker.crashEngine();
    await cluster.lab.clock.sleep(Number(seconds) * 1000);
    await world.docker.startEngine(order);
    return noDamage;
  },
};
