import { runCrash } from './run.ts';

/** Plays the seeds that the parent process sends, one after the other, and sends their reports. */
export function serveCrashes(self: NodeJS.Process): void {
  self.on('message', (seed: number) => {
    void runCrash(seed).then((report) => self.send?.(report));
  });
  self.on('disconnect', () => self.exit(0));
}
