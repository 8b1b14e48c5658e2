import type { Readable, Writable } from 'node:stream';

export interface OutputStream {
  write(text: string): void;
  readonly isTerminal: boolean;
  /** Columns of the terminal now; infinite where nothing says so, so that piped text is not wrapped. */
  columns(): number;
  /** For libraries that draw by themselves. */
  readonly raw: Writable;
}

/** Where the program reads, writes and is interrupted. */
export interface Streams {
  readonly stdin: { readonly isTerminal: boolean; readonly raw: Readable };
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** Calls the listener with the exit code that belongs to the signal: 130 for SIGINT, 143 for SIGTERM, 129 for SIGHUP. */
  onInterrupt(listener: (exitCode: number) => void): () => void;
  /** Ends the process at once. */
  exitNow(exitCode: number): void;
  /** Calls `tick` again and again until the returned function is called; does not keep the process alive. */
  every(milliseconds: number, tick: () => void): () => void;
}

export function makeStreams(from: NodeJS.Process): Streams {
  return {
    stdin: { isTerminal: isTerminal(from.stdin), raw: from.stdin },
    stdout: makeOutput(from.stdout),
    stderr: makeOutput(from.stderr),
    onInterrupt: (listener) => {
      const onInt = (): void => listener(130);
      const onTerm = (): void => listener(143);
      // The terminal was closed.
      const onHangUp = (): void => listener(129);
      from.on('SIGINT', onInt);
      from.on('SIGTERM', onTerm);
      from.on('SIGHUP', onHangUp);
      return () => {
        from.off('SIGINT', onInt);
        from.off('SIGTERM', onTerm);
        from.off('SIGHUP', onHangUp);
      };
    },
    exitNow: (exitCode) => from.exit(exitCode),
    every: (milliseconds, tick) => {
      const timer = setInterval(tick, milliseconds);
      timer.unref();
      return () => clearInterval(timer);
    },
  };
}

function makeOutput(stream: NodeJS.WriteStream): OutputStream {
  return {
    write: (text) => {
      try {
        stream.write(text);
      } catch (error) {
        // Files are written at once and fail at once; told like the failures of pipes, which come later.
        stream.emit('error', error);
      }
    },
    isTerminal: isTerminal(stream),
    columns: () => (stream.isTTY ? stream.columns || 80 : Number.POSITIVE_INFINITY),
    raw: stream,
  };
}

/** Node leaves the property out where the stream is no terminal, whatever its types say. */
function isTerminal(stream: { readonly isTTY?: boolean }): boolean {
  return stream.isTTY ?? false;
}
