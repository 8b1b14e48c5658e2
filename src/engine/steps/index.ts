import type { Step } from '../../repairs/step.ts';
import { remakeCertificate } from './certificates.ts';
import { setRestartPolicy, startContainer, waitBoot } from './containers.ts';
import { editFile, removeFile } from './files.ts';
import { mergeKubeconfig } from './host-files.ts';
import { restoreFile } from './restore.ts';
import type { ExecuteStep, StepContext } from './step-context.ts';
import { restartComponent, restartUnit } from './units.ts';
import { waitApi, waitControllers, waitNodes } from './waits.ts';

const executors: { readonly [Kind in Step['kind']]: ExecuteStep<Kind> } = {
  'start-container': startContainer,
  'set-restart-policy': setRestartPolicy,
  'wait-boot': waitBoot,
  'edit-file': editFile,
  'remove-file': removeFile,
  'remake-certificate': remakeCertificate,
  'restart-component': restartComponent,
  'restart-unit': restartUnit,
  'wait-api': waitApi,
  'wait-nodes': waitNodes,
  'wait-controllers': waitControllers,
  'merge-kubeconfig': mergeKubeconfig,
  'restore-file': restoreFile,
};

export async function executeStep(step: Step, context: StepContext): Promise<string> {
  // The table pairs each kind with its own executor; the union of both sides hides that from the compiler.
  const execute = executors[step.kind] as ExecuteStep<Step['kind']>;
  return await execute(step, context);
}
