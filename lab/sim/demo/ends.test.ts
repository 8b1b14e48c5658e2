import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const program = fileURLToPath(new URL('../../../dist/rekindle.js', import.meta.url));
if (!existsSync(program)) throw new Error('the program is not built: npm run build');
/** Real milliseconds on a busy machine. */
const patience = 60_000;

let folder: string;
let child: ChildProcess | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'demo-'));
});
afterEach(() => {
  child?.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

/** Runs the real program until it ends; `act` is called once, when that text has been written. */
async function runDemo(words: readonly string[], at: string, act: (started: ChildProcess) => void) {
  const started = spawn(process.execPath, [program, 'demo', ...words], {
    env: { PATH: process.env['PATH'], TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child = started;
  let text = '';
  let hasActed = false;
  const read = (chunk: Buffer): void => {
    text += chunk.toString('utf8');
    if (hasActed || !text.includes(at)) return;
    hasActed = true;
    act(started);
  };
  started.stdout.on('data', read);
  started.stderr.on('data', read);
  const exitCode = await new Promise<number | null>((resolve) => {
    started.once('close', resolve);
  });
  return { exitCode, text, left: readdirSync(folder) };
}

describe('the demo ends, and leaves nothing behind,', () => {
  test.each([
    ['SIGINT', 130, ['--keep'], 'Ctrl-C ends it'],
    ['SIGTERM', 143, ['--keep'], 'Ctrl-C ends it'],
    ['SIGHUP', 129, ['--keep'], 'Ctrl-C ends it'],
    ['SIGHUP', 129, ['--no-pause'], 'step 2:'],
    ['SIGINT', 130, ['--no-pause'], '$ rekindle doctor'],
  ] as const)(
    'at %s with %d (%j, "%s")',
    async (signal, expected, words, at) => {
      const { exitCode, text, left } = await runDemo(words, at, (started) => started.kill(signal));
      expect({ exitCode, left }).toEqual({ exitCode: expected, left: [] });
      expect(text.match(/interrupted/g)).toHaveLength(1);
      expect(text).not.toMatch(/^\s+at /m);
    },
    patience,
  );

  test(
    'at a second Ctrl-C',
    async () => {
      const { exitCode, left } = await runDemo(['--no-pause'], 'step 2:', (started) => {
        started.kill('SIGINT');
        started.kill('SIGTERM');
      });
      expect(left).toEqual([]);
      expect([130, 143]).toContain(exitCode);
    },
    patience,
  );

  test(
    'when nobody reads any more',
    async () => {
      const { exitCode, text, left } = await runDemo(['--keep'], 'Simulated:', (started) => started.stdout?.destroy());
      expect({ exitCode, left }).toEqual({ exitCode: 0, left: [] });
      expect(text).not.toContain('interrupted');
    },
    patience,
  );
});
