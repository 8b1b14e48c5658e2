import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * The simulated world as `npm run build` bundles it, the product with it. Tests do not import its sources: the test
 * runner loads a module when it is first asked for, which nobody sees, and the world's time would leap meanwhile.
 */
export async function loadSimulation(): Promise<typeof import('../index.ts')> {
  const bundle = new URL('../../../build/sim.js', import.meta.url);
  if (!existsSync(fileURLToPath(bundle))) throw new Error('the simulated world is not built: npm run build');
  return (await import(bundle.href)) as typeof import('../index.ts');
}
