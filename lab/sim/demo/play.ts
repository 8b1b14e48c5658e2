import { PassThrough } from 'node:stream';
import type { DemoPicture } from '../../../src/cli/documents.ts';
import type { EngineApi } from '../../../src/cli/engine-api.ts';
import { runCli } from '../../../src/cli/run.ts';
import type { OutputStream, Streams } from '../../../src/cli/streams.ts';
import type { Surroundings } from '../../../src/engine/surroundings.ts';
import { catchUp } from '../real-time.ts';
import { takePicture } from './picture.ts';
import type { DemoStage } from './stage.ts';
import type { DemoTime } from './time.ts';

/** A visitor of the stage: the product, with streams that somebody reads and a home on the stage. */
export interface DemoVisitor {
  /** Runs a command line of the product; what it writes goes to the given streams. Resolves with its exit code. */
  run(words: readonly string[], streams: Streams): Promise<number>;
  /** The same with `-o json`: answers what it printed. */
  ask(words: readonly string[]): Promise<{ readonly exitCode: number; readonly document: unknown }>;
}

export interface DemoVisitorOptions {
  readonly stage: DemoStage;
  readonly time: DemoTime;
  readonly surroundings: Surroundings;
  readonly streams: Streams;
  readonly loadEngine: () => Promise<EngineApi>;
}

/** Of the user's own environment only what concerns the terminal reaches the product. */
const kept = ['TERM', 'COLORTERM', 'NO_COLOR', 'FORCE_COLOR', 'REKINDLE_DEBUG'];

export function makeDemoVisitor(options: DemoVisitorOptions): DemoVisitor {
  const { stage, time, streams, loadEngine } = options;
  const surroundings: Surroundings = {
    ...options.surroundings,
    environment: {
      ...Object.fromEntries(kept.map((name) => [name, options.surroundings.environment[name]])),
      ...readEnvironment(stage),
    },
    home: stage.home,
    workingDirectory: stage.home,
    clock: time.clockFor(stage.world.clock),
  };
  const run = (words: readonly string[], to: Streams) =>
    runCli(['node', 'rekindle', ...words], surroundings, to, loadEngine);

  return {
    run,
    async ask(words) {
      const stdout = makeCapture();
      const exitCode = await run([...words, '-o', 'json'], { ...streams, stdout, stderr: makeCapture() });
      return { exitCode, document: JSON.parse(stdout.text()) as unknown };
    },
  };
}

/** What leads a program to the stage, and keeps it from everything else. */
export function readEnvironment({ world, home, kubeconfig }: DemoStage): Readonly<Record<string, string>> {
  return {
    DOCKER_HOST: world.dockerHost(),
    KUBECONFIG: kubeconfig,
    HOME: home,
    XDG_DATA_HOME: `${home}/data`,
    XDG_CONFIG_HOME: `${home}/config`,
  };
}

function makeCapture(): OutputStream & { text(): string } {
  const parts: string[] = [];
  const raw = new PassThrough();
  raw.on('data', (chunk: Buffer) => parts.push(chunk.toString('utf8')));
  return {
    write: (text) => void parts.push(text),
    isTerminal: false,
    columns: () => Number.POSITIVE_INFINITY,
    raw,
    text: () => parts.join(''),
  };
}

/** So long nothing has changed on a site that has settled. Milliseconds. */
const steadyMs = 3_000;
const patienceMs = 40_000;

/** What is on its way to be well has got there by then: a static pod is probed 10 s after its kubelet's start. */
const settlingMs = 60_000;

/** Leaps over a minute: nobody but the world itself has anything to do any more. Answers what there is to be seen then. */
export async function settleSite({ world, cluster }: DemoStage, signal: AbortSignal): Promise<DemoPicture> {
  const end = world.clock.now() + settlingMs;
  await catchUp(world.clock, () => end, signal);
  return takePicture(world, cluster);
}

/** Waits until the URLs that can come back have done so, and tells of each. */
export async function waitForSite(
  stage: DemoStage,
  time: DemoTime,
  signal: AbortSignal,
  tell: (host: string, answer: number | null) => void,
): Promise<void> {
  const { world, cluster } = stage;
  const clock = time.clockFor(world.clock);
  const begun = clock.monotonic();
  let picture = takePicture(world, cluster);
  let changed = begun;
  for (;;) {
    const now = clock.monotonic();
    const isBack = picture.urls.every(({ answer }) => answer === 200);
    const isSteady = picture.urls.some(({ answer }) => answer === 200) && now - changed > steadyMs;
    if (isBack || isSteady || now - begun > patienceMs) return;
    await clock.sleep(200, signal);
    const next = takePicture(world, cluster);
    for (const [index, { host, answer }] of next.urls.entries()) {
      if (picture.urls[index]?.answer === answer) continue;
      changed = clock.monotonic();
      tell(host, answer);
    }
    picture = next;
  }
}
