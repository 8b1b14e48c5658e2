import { listNodes } from '../../../scenarios/cluster.ts';
import { type CrashFault, noDamage } from '../crash-fault.ts';

/** Another cluster, of somebody else, made while this one was down: it has taken addresses that this one had. */
export const neighbour: CrashFault = {
  name: 'neighbour',
  weight: 2,
  draw: () => undefined,
  async stage({ world, cluster }) {
    const { lab } = cluster;
    const names = (await listNodes(cluster)).map(({ name }) => name);
    await lab.attempt(['docker', 'kill', ...names]);
    if (!world.clusters.has('team')) await world.createCluster('team', { controlPlanes: 1, workers: 0 });
    for (const name of names) await lab.run(['docker', 'start', name]);
    return noDamage;
  },
};
