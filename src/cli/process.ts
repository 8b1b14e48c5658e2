import * as module from 'node:module';
import { exitCodes } from './exit-codes.ts';
import { runCli } from './run.ts';
import { makeStreams } from './streams.ts';
import { makeSurroundings } from './surroundings.ts';

/** The program on a real process; ends it with the exit code. */
export async function runProcess(process: NodeJS.Process): Promise<void> {
  // From Node 22 on: keeps the compiled code of the chunks for the next start.
  if ('enableCompileCache' in module && typeof module.enableCompileCache === 'function') module.enableCompileCache();
  const hinderedBy = watchOutput(process);
  const exitCode = await runCli(process.argv, makeSurroundings(process), makeStreams(process), async () => {
    const { engine } = await import('./engine.ts');
    return engine;
  });
  await flush(process.stdout);
  await flush(process.stderr);
  const hindrance = hinderedBy();
  if (hindrance !== null) {
    tellQuietly(process.stderr, `rekindle: the output could not be written: ${hindrance}\n`);
    process.exit(exitCodes.couldNotLook);
  }
  // Idle connections to the engine would keep the process alive for a while.
  process.exit(exitCode);
}

/**
 * `rekindle doctor | head` closes the pipe early, and a disk may be full: what is under way goes on all the same, and
 * ends with its own exit code. Answers what hindered the output, a closed pipe aside.
 */
function watchOutput(process: NodeJS.Process): () => string | null {
  let failure: string | null = null;
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') failure ??= error.message;
    });
  }
  return () => failure;
}

/** The last word, to a stream that may be the one that is full. */
function tellQuietly(stream: NodeJS.WriteStream, text: string): void {
  try {
    stream.write(text);
  } catch {
    // Nobody can be told.
  }
}

function flush(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || !stream.writable) resolve();
    else stream.write('', () => resolve());
  });
}
