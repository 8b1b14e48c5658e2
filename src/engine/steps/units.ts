import { commandFailure, type ExecuteStep, performAll, runInNode, type StepContext } from './step-context.ts';

/** What a static pod's container gets to end by itself. */
const stopSeconds = 3;

export const restartUnit: ExecuteStep<'restart-unit'> = async ({ node, unit }, context) => {
  await restart(context, node, unit);
  return '';
};

export async function restart(context: StepContext, node: string, unit: 'kubelet' | 'containerd'): Promise<void> {
  const argv = ['systemctl', 'restart', unit];
  const [time, , result] = await performAll(
    context,
    node,
    [
      { op: 'run', argv: ['date', '+%s%3N'], timeoutSeconds: 5 },
      // A unit that failed too often is not started again before this.
      { op: 'run', argv: ['systemctl', 'reset-failed', unit], timeoutSeconds: 5 },
      { op: 'run', argv, timeoutSeconds: 30 },
    ],
    45_000,
  );
  if (result.exitCode !== 0) throw new Error(commandFailure(node, argv, result));
  if (unit === 'kubelet') context.kubeletRestarts.set(node, Number(time.stdout.toString('utf8')));
}

export const restartComponent: ExecuteStep<'restart-component'> = async ({ node, component }, context) => {
  const ids = await listRunning(context, node, component);
  await stopContainers(context, node, ids);
  return ids.length === 0 ? 'it was not running' : '';
};

/** The running containers of a static pod's component, by id. */
export async function listRunning(context: StepContext, node: string, component: string): Promise<string[]> {
  const output = await runInNode(context, node, ['crictl', 'ps', '-q', '--name', `^${component}$`], 10);
  return output.split('\n').filter((id) => id !== '');
}

export async function stopContainers(context: StepContext, node: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await runInNode(context, node, ['crictl', 'stop', '--timeout', String(stopSeconds), ...ids], 30);
}
