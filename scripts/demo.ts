import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** The first command of the README: a recorded crash, diagnosed. Its exit code 1 (findings) is what is to be shown. */
const root = join(import.meta.dirname, '..');
const { status } = spawnSync(
  process.execPath,
  [join(root, 'dist', 'rekindle.js'), 'doctor', '--from', join(root, 'docs', 'examples', 'runbook-crash.json')],
  { stdio: 'inherit' },
);
process.exitCode = status === 1 ? 0 : 1;
