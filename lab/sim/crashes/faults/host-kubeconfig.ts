import { readFile, rm, writeFile } from 'node:fs/promises';
import type { CrashFault } from '../crash-fault.ts';

/** The kubeconfig on this host was being written when the power went. */
export const brokenKubeconfig: CrashFault = {
  name: 'broken-kubeconfig',
  weight: 3,
  draw: (dice) => dice.pick(['gone', 'empty', 'cut', 'garbage']),
  async stage({ visitor: { kubeconfig } }, how) {
    const contents = await readFile(kubeconfig).catch(() => Buffer.alloc(0));
    if (how === 'gone') await rm(kubeconfig, { force: true });
    else if (how === 'empty') await writeFile(kubeconfig, '');
    else if (how === 'cut') await writeFile(kubeconfig, contents.subarray(0, Math.floor(contents.length / 2)));
    else await writeFile(kubeconfig, 'clusters: [{{\n\u0000\u0001 : :\n');
    return { files: [kubeconfig] };
  },
};
