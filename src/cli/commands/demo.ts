import type { DemoTime } from '../../../lab/sim/demo/time.ts';
import type { DemoDocument, DemoEvent, DoctorDocument, HealDocument } from '../documents.ts';
import { BlockedError, UsageError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { type CommonOptions, type Invocation, withHost } from '../invocation.ts';
import {
  describeAnswer,
  describeDemoEnd,
  describeEvent,
  describeIntroduction,
  describeKept,
  describePicture,
  describeTitle,
} from '../render/demo.ts';
import { type Look, makePalette, readWidth, wantsColor } from '../render/look.ts';
import { toSafeJson } from '../text/clean.ts';
import { findNearest } from '../text/nearest.ts';
import { list } from '../text/words.ts';

export interface DemoOptions extends CommonOptions {
  readonly list?: true | undefined;
  readonly scenario?: string | undefined;
  readonly seed: number;
  readonly keep?: true | undefined;
  /** False with --no-pause. */
  readonly pause: boolean;
}

interface Known {
  readonly name: string;
  readonly title: string;
}

/** What is played where no scenario is named. */
const runbook: Known = {
  name: 'runbook',
  title: 'The crash of the runbook on a whole site: a dead kubelet, evicted pods, dead URLs, too few inotify instances',
};

/** Milliseconds to read what has just been shown. */
const pauses = { crash: 5_000, doctor: 4_000, heal: 2_000 };

/**
 * `time` is how time passes once the cluster has been broken; by default as it does. Ends early, and well, where whoever
 * reads goes away (`rekindle demo | head`): nothing depends on its end.
 */
export async function runDemo(options: DemoOptions, invocation: Invocation, time?: DemoTime): Promise<number> {
  const { raw } = invocation.streams.stdout;
  const gone = new AbortController();
  const leave = (): void => gone.abort(new Error('nobody reads any more'));
  const signal = AbortSignal.any([invocation.signal, gone.signal]);
  raw.once('error', leave);
  try {
    const exitCode = await playDemo(options, { ...invocation, signal }, time);
    return gone.signal.aborted ? exitCodes.well : exitCode;
  } catch (error) {
    if (gone.signal.aborted && !invocation.signal.aborted) return exitCodes.well;
    throw error;
  } finally {
    raw.off('error', leave);
  }
}

async function playDemo(options: DemoOptions, invocation: Invocation, time?: DemoTime): Promise<number> {
  const { scenarios } = await import('../../../lab/scenarios/scenarios.ts');
  const known: Known[] = [runbook, ...scenarios.map(({ name, title }) => ({ name, title }))];
  if (options.list === true) {
    return withHost(options, false, invocation, async (host) => {
      host.present({ format: 'rekindle.demo-list/v1', scenarios: known });
      return exitCodes.well;
    });
  }
  const chosen = requireScenario(options.scenario ?? runbook.name, known);
  const scenario = scenarios.find(({ name }) => name === chosen.name);
  const { streams, signal, surroundings } = invocation;
  const isShown = options.output === 'table';
  if (options.keep === true && !isShown) {
    throw new UsageError('--keep shows how to look around, and has no document', 'leave -o json out');
  }
  if (surroundings.platform === 'win32') {
    throw new BlockedError(exitCodes.couldNotLook, 'the simulated engine needs a unix socket', 'try it in WSL');
  }
  const lab = await import('../../../lab/sim/demo/demo.ts');
  const passing = time ?? lab.makeRealTime(surroundings.clock);
  const look = makeDemoLook(options, invocation);
  const tell = (lines: readonly string[]): void => {
    if (isShown) streams.stdout.write(`${lines.join('\n')}\n`);
  };
  tell(describeIntroduction(chosen.title, look));
  tell(describeTitle('The crash', look));
  const story: DemoEvent[] = [];
  const record = (event: DemoEvent): void => {
    story.push(event);
    tell(describeEvent(event, look));
  };
  const stage = await lab.setDemoStage({
    seed: options.seed,
    scenario,
    time: passing,
    signal,
    tell: record,
  });
  const clock = passing.clockFor(stage.world.clock);
  const cluster = stage.cluster.name;
  const crashed = lab.takePicture(stage.world, stage.cluster);
  tell(describePicture(crashed, look));
  try {
    return await passing.follow(stage.world, options.keep === true ? keepUp() : play());
  } finally {
    await stage.close();
  }

  async function play(): Promise<number> {
    const visitor = lab.makeDemoVisitor({ ...invocation, stage, time: passing });
    const flags = options.color ? [] : ['--no-color'];
    // All that is to be seen goes one way, so that a pipe gets the whole of it in its order.
    const shown = { ...streams, stderr: streams.stdout };
    const run = async (...words: string[]): Promise<{ exitCode: number; document: unknown }> => {
      tell([look.palette.bold(`$ rekindle ${words.join(' ')}`)]);
      const answer = isShown
        ? { exitCode: await visitor.run([...words, ...flags], shown), document: null }
        : await visitor.ask(words);
      // What was cut short before somebody's eyes has said so itself.
      if (!isShown) signal.throwIfAborted();
      return answer;
    };
    await rest(pauses.crash);
    tell(describeTitle('The diagnosis', look));
    const doctor = await run('doctor', '--name', cluster);
    if (signal.aborted) return doctor.exitCode;
    await rest(pauses.doctor);
    tell(describeTitle('The repair', look));
    const begun = clock.monotonic();
    const heal = await run('heal', '--name', cluster, '--yes');
    if (signal.aborted) return heal.exitCode;
    const healMs = clock.monotonic() - begun;
    await rest(pauses.heal);
    tell(describeTitle('Afterwards', look));
    await lab.waitForSite(stage, passing, signal, (host, answer) =>
      tell(describeAnswer(host, answer, clock.monotonic() - begun, look)),
    );
    const after = await lab.settleSite(stage, signal);
    record({ at: new Date(stage.world.clock.now()).toISOString(), text: 'a minute later (simulated time leaps)' });
    const remaining = lab.listRemaining(stage.before, after);
    if (isShown) {
      tell(describePicture(after, look, { pods: false }));
      tell(describeDemoEnd({ after, remaining, healMs, wasHealed: heal.exitCode === exitCodes.well }, look));
    } else {
      const document: DemoDocument = {
        format: 'rekindle.demo/v1',
        simulated: true,
        scenario: chosen.name,
        title: chosen.title,
        seed: options.seed,
        cluster,
        story,
        before: stage.before,
        crashed,
        after,
        doctor: doctor.document as DoctorDocument,
        heal: heal.document as HealDocument,
        remaining,
      };
      streams.stdout.write(`${toSafeJson(document)}\n`);
    }
    return heal.exitCode;
  }

  /** Until somebody ends it. */
  async function keepUp(): Promise<number> {
    tell(describeKept(lab.readEnvironment(stage), surroundings.environment, look));
    for (;;) await clock.sleep(60_000, signal);
  }

  async function rest(milliseconds: number): Promise<void> {
    if (options.pause && isShown && streams.stdout.isTerminal) await clock.sleep(milliseconds, signal);
  }
}

function requireScenario(name: string, known: readonly Known[]): Known {
  const found = known.find((scenario) => scenario.name === name);
  if (found !== undefined) return found;
  const nearest = findNearest(
    name,
    known.map((scenario) => scenario.name),
  );
  throw new UsageError(
    `--scenario: there is no scenario "${name}"`,
    nearest.length > 0 ? `did you mean ${list(nearest).replace(/ and /, ' or ')}?` : '--list shows them all',
  );
}

function makeDemoLook(options: DemoOptions, { streams, surroundings, program }: Invocation): Look {
  return {
    palette: makePalette(wantsColor(streams.stdout, surroundings.environment, options.color)),
    width: readWidth(streams.stdout),
    verbose: false,
    program,
  };
}
