/** The simulated world, for whoever bundles it (scripts/build.ts). */

export { judge } from '../scenarios/judge.ts';
export { playScenario } from '../scenarios/play.ts';
export { scenarios } from '../scenarios/scenarios.ts';
export { rehearseDemo } from './demo/rehearsal.ts';
export { setSimStage } from './laboratory/stage.ts';
