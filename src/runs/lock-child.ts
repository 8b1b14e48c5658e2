/** A process for lock.test.ts: says `ready`, and at a line on its standard input tries for the lock and tells. */
import { createInterface } from 'node:readline';
import { acquireLock, LockedError } from './lock.ts';
import { describeHolder, isHolderAlive } from './process.ts';

const [directory = '', key = ''] = process.argv.slice(2);
const holder = await describeHolder(process, {
  host: 'laptop',
  command: 'rekindle heal',
  since: '2026-11-30T18:15:02Z',
});
process.stdout.write('ready\n');
for await (const _ of createInterface({ input: process.stdin })) {
  try {
    await acquireLock({
      directory,
      key,
      holder,
      isAlive: async (other) => await isHolderAlive(other, process.platform),
    });
    process.stdout.write(`won ${process.pid}\n`);
  } catch (error) {
    process.stdout.write(
      error instanceof LockedError ? `locked by ${error.holder.pid}\n` : `failed: ${String(error)}\n`,
    );
  }
}
