/** What the command `demo` needs of the simulated world. */

export { listRemaining, takePicture } from './picture.ts';
export { makeDemoVisitor, readEnvironment, settleSite, waitForSite } from './play.ts';
export { setDemoStage } from './stage.ts';
export { makeRealTime } from './time.ts';
