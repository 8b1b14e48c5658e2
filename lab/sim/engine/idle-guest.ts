import type { Guest } from '../contracts.ts';
import { createFileSystem } from '../files.ts';

/** A container without anything in it, such as one that sleeps to hold an address. */
export function createIdleGuest(now: () => number): Guest {
  const files = createFileSystem(now);
  for (const folder of ['/etc', '/root', '/run', '/tmp', '/var']) files.makeDirectory(folder);
  return {
    files,
    boot: () => Promise.resolve(undefined),
    halt: () => undefined,
    readdress: () => undefined,
    exec({ argv, writeStdout }) {
      writeStdout(
        `OCI runtime exec failed: exec: ${JSON.stringify(argv[0] ?? '')}: executable file not found in $PATH\n`,
      );
      return Promise.resolve(127);
    },
  };
}
