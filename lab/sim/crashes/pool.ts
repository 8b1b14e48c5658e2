import { type ChildProcess, fork } from 'node:child_process';
import type { CrashReport } from './report.ts';
import { describeReport, summarize } from './summary.ts';

export interface PoolOptions {
  /** The bundle itself: its workers are processes of the same file. */
  readonly script: string;
  readonly from: number;
  readonly count: number;
  readonly workers: number;
  /** The workers'. Their worlds lie in its TMPDIR, and flush what they write. */
  readonly environment: NodeJS.ProcessEnv;
  readonly verbose: boolean;
  readonly write: (text: string) => void;
}

/** A crash that takes longer hangs. Real milliseconds, on a machine that does much else. */
const patienceMs = 180_000;

/** Plays the seeds in several processes and tells of each that went wrong; answers the exit code. */
export async function runCrashes(options: PoolOptions): Promise<number> {
  const { from, count, write } = options;
  const reports: CrashReport[] = [];
  const failed: number[] = [];
  let next = from;
  const start = performance.now();

  const work = async () => {
    let child: ChildProcess | undefined;
    while (next < from + count) {
      const seed = next++;
      child ??= fork(options.script, [], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], env: options.environment });
      const outcome = await playIn(child, seed);
      const isWell = typeof outcome !== 'string' && outcome.complaints.length === 0;
      if (typeof outcome === 'string') write(`seed ${seed}: ${outcome}\n  npm run crashes -- --seed ${seed}\n`);
      else {
        reports.push(outcome);
        if (!isWell || options.verbose) write(describeReport(outcome));
      }
      if (!isWell) {
        failed.push(seed);
        // Something of that crash may still be under way in it.
        child.kill('SIGKILL');
        child = undefined;
      }
      const done = reports.length;
      if (done % 100 === 0 && done > 0)
        write(`${done} of ${count} after ${Math.round((performance.now() - start) / 1000)} s\n`);
    }
    child?.disconnect();
  };
  await Promise.all(Array.from({ length: Math.max(1, options.workers) }, work));
  write(summarize(reports, failed));
  return failed.length === 0 ? 0 : 1;
}

/** The report, or what became of the process instead. */
function playIn(child: ChildProcess, seed: number): Promise<CrashReport | string> {
  return new Promise((resolve) => {
    const settle = (outcome: CrashReport | string) => {
      clearTimeout(timer);
      child.off('message', onMessage);
      child.off('exit', onExit);
      resolve(outcome);
    };
    const onMessage = (report: unknown) => settle(report as CrashReport);
    const onExit = (code: number | null) => settle(`its process ended with ${code}`);
    const timer = setTimeout(() => settle(`it hangs: no end after ${patienceMs / 1000} s`), patienceMs);
    child.on('message', onMessage);
    child.on('exit', onExit);
    child.send(seed);
  });
}
