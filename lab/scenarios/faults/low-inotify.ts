import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Cluster, kubectl, pickNode } from '../cluster.ts';
import { runInNode } from '../node.ts';
import type { Fault } from './fault.ts';

const setting = 'fs.inotify.max_user_instances';

/**
 * Lowers the number of inotify instances (default to 12) and deletes the kube-proxy pods, whose successors then end
 * with "too many open files". The limit is one for the whole host, or the engine's virtual machine: other programs there
 * suffer as well, until `--clean` puts back the old value.
 */
export const lowInotify: Fault = {
  name: 'low-inotify',
  summary: 'lower the host-wide limit of inotify instances, then restart kube-proxy',
  argument: '[LIMIT]',
  async stage(cluster, argument) {
    const limit = Number(argument ?? 12);
    if (!Number.isInteger(limit) || limit < 0) {
      throw new Error(`the limit is a whole number, not ${argument}`);
    }
    const node = await pickNode(cluster, undefined);
    const before = Number(await runInNode(cluster, node, ['sysctl', '-n', setting]));
    // A second staging must not take the lowered value for the old one.
    await writeFile(rememberedIn(cluster), `${before}\n`, { flag: 'wx' }).catch(() => undefined);
    await runInNode(cluster, node, ['sysctl', '-w', `${setting}=${limit}`]);
    await cluster.lab.run(
      kubectl(
        cluster,
        '--namespace',
        'kube-system',
        'delete',
        'pod',
        '--selector',
        'k8s-app=kube-proxy',
        '--wait=false',
      ),
    );
    return { setting, before, now: limit };
  },
  async clean(cluster) {
    const remembered = await readFile(rememberedIn(cluster), 'utf8').catch(() => undefined);
    if (remembered === undefined) {
      return { setting, restored: false };
    }
    const value = Number(remembered);
    await runInNode(cluster, await pickNode(cluster, undefined), ['sysctl', '-w', `${setting}=${value}`]);
    await rm(rememberedIn(cluster));
    return { setting, restored: true, now: value };
  },
};

function rememberedIn(cluster: Cluster): string {
  return join(cluster.lab.home, 'inotify-before');
}
