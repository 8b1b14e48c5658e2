import '../laboratory/preload.ts';
import { type DemoOptions, runDemo } from '../../../src/cli/commands/demo.ts';
import type { Invocation } from '../../../src/cli/invocation.ts';
import { type FakeStreamOptions, makeFakeStreams } from '../../../src/cli/testing/streams.ts';
import { makeLeapingTime } from './time.ts';

export interface Rehearsal extends Partial<DemoOptions> {
  /** What the clock shows when the cluster has been broken. Milliseconds since the epoch. */
  readonly now: number;
  readonly streams?: FakeStreamOptions;
  readonly environment?: Readonly<Record<string, string>>;
  /** Ctrl-C is pressed as soon as this text is written to standard output. */
  readonly interruptAt?: string;
}

export interface Rehearsed {
  /** `interrupted` where the command was cut short. */
  readonly exitCode: number | 'interrupted';
  readonly out: string;
  readonly err: string;
}

/** The command `demo` with streams of a test and in leaping time: it takes as long as the processor needs. */
export async function rehearseDemo(rehearsal: Rehearsal): Promise<Rehearsed> {
  const { now, environment = {}, interruptAt } = rehearsal;
  const fake = makeFakeStreams(rehearsal.streams);
  const controller = new AbortController();
  const interrupt = () => {
    controller.abort(new Error('interrupted'));
    fake.interrupt();
  };
  const stdout = {
    ...fake.stdout,
    write(text: string): void {
      fake.stdout.write(text);
      if (interruptAt !== undefined && !controller.signal.aborted && text.includes(interruptAt)) interrupt();
    },
  };
  const time = makeLeapingTime(now);
  let ids = 0;
  const invocation: Invocation = {
    program: 'rekindle',
    surroundings: {
      environment,
      home: '/nowhere',
      platform: 'linux',
      uid: 1000,
      workingDirectory: '/nowhere',
      clock: { now: () => new Date(now), monotonic: () => now, sleep: () => Promise.resolve() },
      randomId: () => {
        ids += 1;
        return String(ids).padStart(4, '0');
      },
      pid: process.pid,
      hostName: 'laptop',
      version: '0.0.0',
    },
    streams: { ...fake, stdout },
    loadEngine: async () => (await import('../../../src/cli/engine.ts')).engine,
    signal: controller.signal,
    interrupt,
  };
  const options: DemoOptions = { output: 'table', color: true, seed: 1, pause: true, ...rehearsal };
  const read = (exitCode: number | 'interrupted') => ({ exitCode, out: fake.out(), err: fake.err() });
  try {
    const exitCode = await runDemo(options, invocation, time);
    return read(controller.signal.aborted ? 'interrupted' : exitCode);
  } catch (error) {
    if (controller.signal.aborted) return read('interrupted');
    throw error;
  }
}
