import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

/** Real milliseconds for all of them: five to ten minutes on two cores, and more beside other tests. */
const patience = 1_800_000;

describe('a thousand random crashes', () => {
  test(
    'each ends well or with findings that say why not, and nothing is lost',
    async () => {
      const { exitCode, output } = await playCrashes('--count', '1000');
      expect(output.replace(/^\d+ of \d+ after \d+ s\n/gm, '')).toMatch(/\n1000 crashes, 0 wrong/);
      expect(exitCode).toBe(0);
    },
    patience,
  );

  test(
    'go the same way each time',
    async () => {
      const plays = await Promise.all([playCrashes('--seed', '4'), playCrashes('--seed', '4')]);
      const [one, other] = plays.map(({ output }) => output.replace(/, [\d.]+ s here, [\d.]+ s of a processor/, ''));
      expect(one).toMatch(/^seed 4: \w+ after \d heals, \d+ s in the world/);
      expect(other).toBe(one);
    },
    patience,
  );
});

/** A process of its own, from the bundle: nothing may be on its way from a loader while the world's time leaps. */
function playCrashes(...argv: readonly string[]): Promise<{ exitCode: number | null; output: string }> {
  const bundle = fileURLToPath(new URL('../../build/crashes.js', import.meta.url));
  if (!existsSync(bundle)) throw new Error('the random crashes are not built: npm run build');
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [bundle, ...argv], { stdio: ['ignore', 'pipe', 'inherit'] });
    // The tests beside it come first; its own processes inherit this.
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (/^\d+ of \d+ after/.test(text)) process.stderr.write(text);
    });
    child.once('error', reject);
    child.once('close', (exitCode) => resolve({ exitCode, output }));
  });
}
