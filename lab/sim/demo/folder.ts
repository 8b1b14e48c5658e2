import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { BlockedError } from '../../../src/cli/errors.ts';
import { exitCodes } from '../../../src/cli/exit-codes.ts';

export interface DemoFolder {
  readonly path: string;
  remove(): Promise<void>;
}

/**
 * The address of a unix socket holds 104 bytes on macOS and 108 on Linux, a zero at the end among them; what is longer
 * is cut off without a word. The name of the engine's socket needs some of them.
 */
const longestFolder = 103 - '/docker-999.sock'.length;
const shortFolder = '/tmp';

/**
 * A temporary folder for everything of a demonstration, short enough for sockets. It is removed however this process
 * ends, being killed at once aside. Rejects with a BlockedError where none can be made.
 */
export async function makeDemoFolder(): Promise<DemoFolder> {
  const path = await mkdtemp(choosePrefix()).catch((error: unknown) => {
    throw new BlockedError(
      exitCodes.couldNotLook,
      `no temporary folder can be made: ${error instanceof Error ? error.message : String(error)}`,
      'set TMPDIR to a folder that exists and can be written to',
      { cause: error },
    );
  });
  // A second Ctrl-C ends the process at once, and nothing else comes between.
  const removeAtExit = () => rmSync(path, { recursive: true, force: true });
  process.once('exit', removeAtExit);
  return {
    path,
    async remove() {
      // What was cut short may be writing its last words there.
      await rm(path, { recursive: true, force: true, maxRetries: 5 });
      process.off('exit', removeAtExit);
    },
  };
}

/** Whole, since it is shown to people who may be somewhere else. */
function choosePrefix(): string {
  const wanted = resolve(tmpdir(), 'rekindle-world-');
  const fits = Buffer.byteLength(wanted) + 'XXXXXX'.length <= longestFolder;
  return fits ? wanted : join(shortFolder, 'rekindle-world-');
}
