import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compareWorlds } from '../compare.ts';

const plays = join(import.meta.dirname, '..', '..', '..', 'build', 'plays');

/*
 * `npm run lab -- compare` plays every scenario in both worlds; here is one in which no container is about to start at the moment of the look.
 */
describe('the simulated world answers as the real one does', () => {
  it('to a kubelet that dials a dead address', async () => {
    const [comparison] = await compareWorlds(['stale-endpoint'], plays, () => undefined);
    expect(comparison?.complaints).toEqual({ simulated: [], real: [] });
    expect(comparison?.differences).toEqual([]);
  });
});
