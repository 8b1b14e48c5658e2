import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compareWorlds } from '../compare.ts';

const plays = join(import.meta.dirname, '..', '..', '..', 'build', 'plays');

/*
 * `npm run lab -- compare` plays every scenario in both worlds; here are two that depend on no machine's speed.
 */
describe('the simulated world answers as the real one does', () => {
  it.each(['stale-endpoint', 'certificates-deleted'])('to %s', async (scenario) => {
    const [comparison] = await compareWorlds([scenario], plays, () => undefined);
    expect(comparison?.complaints).toEqual({ simulated: [], real: [] });
    expect(comparison?.differences).toEqual([]);
  });
});
