import { listKubernetesNodes, listNodes } from '../cluster.ts';
import type { Fault } from './fault.ts';

/** Stops every container of the cluster in an orderly way, as `docker stop` by hand does. Nothing starts them again. */
export const stopAll: Fault = {
  name: 'stop-all',
  summary: 'docker stop every container of the cluster',
  async stage(cluster) {
    await listKubernetesNodes(cluster);
    const names = (await listNodes(cluster)).map((node) => node.name);
    await cluster.lab.run(['docker', 'stop', ...names]);
    return { stopped: names };
  },
};
