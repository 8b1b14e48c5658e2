#!/usr/bin/env node
import { writeSync } from 'node:fs';
import { version } from './version.ts';

// Asked often by scripts and editors, and worth no library's load.
if (process.argv.length === 3 && (process.argv[2] === '--version' || process.argv[2] === '-V')) {
  writeSync(1, `${version}\n`);
} else {
  const { runProcess } = await import('./cli/process.ts');
  await runProcess(process);
}
