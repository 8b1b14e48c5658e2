import { PassThrough } from 'node:stream';
import type { OutputStream, Streams } from '../streams.ts';

export interface FakeStreams extends Streams {
  readonly out: () => string;
  readonly err: () => string;
  /** What both streams hold, in the order written. */
  readonly all: () => string;
  /** Raises the signal that belongs to the exit code. */
  readonly interrupt: (exitCode?: number) => void;
  /** The exit codes that ended the process at once. */
  readonly exits: readonly number[];
  /** Lets the time of everything that ticks go on by one tick. */
  readonly tick: () => void;
  readonly type: (keys: string) => void;
}

export interface FakeStreamOptions {
  /** What standard input, output and error are connected to. */
  readonly stdin?: 'terminal' | 'none';
  readonly stdout?: 'terminal' | 'pipe';
  readonly stderr?: 'terminal' | 'pipe';
  readonly columns?: number;
}

export function makeFakeStreams(options: FakeStreamOptions = {}): FakeStreams {
  const written: { to: 'out' | 'err'; text: string }[] = [];
  const listeners = new Set<(exitCode: number) => void>();
  const ticks = new Set<() => void>();
  const exits: number[] = [];
  const input = Object.assign(new PassThrough(), { isTTY: options.stdin === 'terminal', setRawMode: () => undefined });
  const output = (to: 'out' | 'err', isTerminal: boolean): OutputStream => {
    const raw = Object.assign(new PassThrough(), { isTTY: isTerminal, columns: options.columns ?? 80, rows: 24 });
    raw.on('data', (chunk: Buffer) => written.push({ to, text: chunk.toString('utf8') }));
    return {
      isTerminal,
      columns: () => (isTerminal ? (options.columns ?? 80) : Number.POSITIVE_INFINITY),
      write: (text) => written.push({ to, text }),
      raw,
    };
  };
  const read = (to?: 'out' | 'err'): string =>
    written
      .filter((entry) => to === undefined || entry.to === to)
      .map(({ text }) => text)
      .join('');
  return {
    stdin: { isTerminal: options.stdin === 'terminal', raw: input },
    stdout: output('out', options.stdout === 'terminal'),
    stderr: output('err', options.stderr === 'terminal'),
    onInterrupt: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    exitNow: (exitCode) => exits.push(exitCode),
    every: (_milliseconds, tick) => {
      ticks.add(tick);
      return () => ticks.delete(tick);
    },
    out: () => read('out'),
    err: () => read('err'),
    all: () => read(),
    interrupt: (exitCode = 130) => {
      for (const listener of listeners) listener(exitCode);
    },
    exits,
    tick: () => {
      for (const tick of ticks) tick();
    },
    type: (keys) => void input.write(keys),
  };
}
