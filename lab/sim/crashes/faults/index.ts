import type { CrashFault } from '../crash-fault.ts';
import { cutBoot } from './cut-boot.ts';
import { damagedFile, wrongOldAddress } from './damaged-file.ts';
import { engineCrash } from './engine-crash.ts';
import { brokenKubeconfig } from './host-kubeconfig.ts';
import { neighbour } from './neighbour.ts';
import { leftoverFile, nodeExit, stopComponent, stopRuntime } from './processes.ts';
import { scenarioFaults } from './scenario-faults.ts';

export const crashFaults: readonly CrashFault[] = [
  ...scenarioFaults,
  engineCrash,
  cutBoot,
  damagedFile,
  wrongOldAddress,
  brokenKubeconfig,
  stopRuntime,
  stopComponent,
  nodeExit,
  leftoverFile,
  neighbour,
];

export function findCrashFault(name: string): CrashFault {
  const found = crashFaults.find((fault) => fault.name === name);
  if (found === undefined) throw new Error(`there is no fault ${name}`);
  return found;
}
