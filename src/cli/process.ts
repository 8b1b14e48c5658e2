import * as module from 'node:module';
import { runCli } from './run.ts';
import { makeStreams } from './streams.ts';
import { makeSurroundings } from './surroundings.ts';

/** The program on a real process; ends it with the exit code. */
export async function runProcess(process: NodeJS.Process): Promise<void> {
  // From Node 22 on: keeps the compiled code of the chunks for the next start.
  if ('enableCompileCache' in module && typeof module.enableCompileCache === 'function') module.enableCompileCache();
  endQuietlyOnClosedPipe(process);
  const exitCode = await runCli(process.argv, makeSurroundings(process), makeStreams(process), async () => {
    const { engine } = await import('./engine.ts');
    return engine;
  });
  await flush(process.stdout);
  await flush(process.stderr);
  // Idle connections to the engine would keep the process alive for a while.
  process.exit(exitCode);
}

/** `rekindle doctor | head` closes the pipe early: no failure of ours. */
function endQuietlyOnClosedPipe(process: NodeJS.Process): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      process.exit(process.exitCode ?? 0);
    });
  }
}

function flush(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || !stream.writable) resolve();
    else stream.write('', () => resolve());
  });
}
