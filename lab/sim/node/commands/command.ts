import type { SimClock } from '../../clock.ts';
import type { Interface, Network, NodeMachine, NodeProcesses } from '../../contracts.ts';

/** What the commands of a node see of it. */
export interface NodeInside extends NodeMachine {
  readonly clock: SimClock;
  readonly network: Network;
  readonly processes: NodeProcesses;
  interfaces(): readonly Interface[];
  /** Whether systemd runs: the entrypoint is through. */
  booted(): boolean;
}

export interface Streams {
  readonly readStdin: () => Promise<Buffer>;
  readonly print: (output: Uint8Array | string) => void;
  readonly complain: (output: Uint8Array | string) => void;
  readonly signal: AbortSignal;
}

export interface CommandCall extends Streams {
  /** Without the command's own name. */
  readonly args: readonly string[];
  readonly node: NodeInside;
  /** Whether the node has a program of that name or path. */
  readonly hasProgram: (word: string) => boolean;
  /** Another command, with the same streams where none are given. */
  readonly run: (argv: readonly string[], streams?: Streams) => Promise<number>;
}

/** Answers its exit code. */
export type Command = (call: CommandCall) => number | Promise<number>;

export interface ParsedArguments {
  /** Long and short options by name with dashes; `true` for one without a value. */
  readonly options: ReadonlyMap<string, string | true>;
  readonly words: readonly string[];
}

/** `withValue`: the options whose value is the next word unless it comes after an equals sign. */
export function parseArguments(args: readonly string[], withValue: readonly string[] = []): ParsedArguments {
  const options = new Map<string, string | true>();
  const words: string[] = [];
  let onlyWords = false;
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? '';
    if (onlyWords || !word.startsWith('-') || word === '-') words.push(word);
    else if (word === '--') onlyWords = true;
    else if (word.includes('=')) options.set(word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1));
    else if (withValue.includes(word)) {
      at += 1;
      options.set(word, args[at] ?? '');
    } else options.set(word, true);
  }
  return { options, words };
}

/** The value of the first of these options that was given. */
export function readOption(options: ParsedArguments['options'], ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = options.get(name);
    if (typeof value === 'string') return value;
  }
  return undefined;
}

/**
 * What comes first: the work, or the end of so many milliseconds on the clock, or the caller going away (both
 * `undefined`). The work's signal is aborted in the latter cases.
 */
export async function limitTime<T>(
  node: Pick<NodeInside, 'clock'>,
  milliseconds: number | undefined,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const stop = new AbortController();
  let cancel = () => {};
  const ended = new Promise<undefined>((resolve) => {
    const end = () => {
      stop.abort();
      resolve(undefined);
    };
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true, signal: stop.signal });
    if (milliseconds !== undefined) cancel = node.clock.schedule(milliseconds, end);
  });
  try {
    return await Promise.race([work(stop.signal), ended]);
  } finally {
    cancel();
    stop.abort();
  }
}
