import type { Surroundings } from '../../engine/surroundings.ts';
import { runCli } from '../run.ts';
import { type FakeEngine, type FakeEngineOptions, makeFakeEngine } from './fake-engine.ts';
import { type FakeStreamOptions, type FakeStreams, makeFakeStreams } from './streams.ts';

export interface CliRun {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
  readonly streams: FakeStreams;
  readonly engine: FakeEngine;
}

export interface CliSetting extends FakeEngineOptions {
  readonly streams?: FakeStreamOptions;
  readonly environment?: Record<string, string>;
  readonly program?: string;
  readonly workingDirectory?: string;
}

/** Runs a command line in this process, over fake streams and a fake engine. */
export async function runCommand(words: readonly string[], setting: CliSetting = {}): Promise<CliRun> {
  const streams = makeFakeStreams(setting.streams);
  const engine = makeFakeEngine(setting);
  const argv = ['node', `/usr/bin/${setting.program ?? 'rekindle'}`, ...words];
  const surroundings = makeFakeSurroundings(setting.environment ?? {}, setting.workingDirectory ?? '/home/ada');
  const exitCode = await runCli(argv, surroundings, streams, async () => engine);
  return { exitCode, out: streams.out(), err: streams.err(), streams, engine };
}

export function makeFakeSurroundings(environment: Record<string, string>, workingDirectory: string): Surroundings {
  let elapsed = 0;
  return {
    environment,
    home: '/home/ada',
    platform: 'linux',
    uid: 1000,
    workingDirectory,
    clock: {
      now: () => new Date('2026-05-04T09:15:00Z'),
      monotonic: () => {
        elapsed += 100;
        return elapsed;
      },
      sleep: () => Promise.resolve(),
    },
    randomId: () => 'x4k2',
    pid: 4711,
    hostName: 'laptop',
    version: '1.2.3',
  };
}
