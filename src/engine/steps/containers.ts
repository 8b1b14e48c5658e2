import { EngineError } from '../../docker/port.ts';
import { openNode } from '../../node/node.ts';
import type { ExecuteStep, StepContext } from './step-context.ts';

const bootTimeoutMs = 60_000;
const bootUnits = ['containerd', 'kubelet'];

export const startContainer: ExecuteStep<'start-container'> = async ({ container }, context) => {
  await context.engine.startContainer(container);
  return '';
};

export const setRestartPolicy: ExecuteStep<'set-restart-policy'> = async ({ container, policy }, context) => {
  await context.engine.setRestartPolicy(container, policy);
  return '';
};

/** systemd takes a second or two before it answers at all; there is nothing to watch until then. */
export const waitBoot: ExecuteStep<'wait-boot'> = async ({ node }, context) => {
  const { clock } = context.world.surroundings;
  const end = clock.monotonic() + bootTimeoutMs;
  for (;;) {
    const state = await bootState(node, context);
    if (state === 'booted') return '';
    if (clock.monotonic() > end) throw new Error(`${node} has not booted within ${bootTimeoutMs / 1000} s: ${state}`);
    context.progress(`${node}: ${state}`);
    await clock.sleep(300, context.signal);
  }
};

async function bootState(node: string, context: StepContext): Promise<string> {
  const { running, state, exitCode, error } = await context.engine.inspectContainer(node);
  if (!running && state !== 'restarting')
    throw new Error(
      `${node} has stopped again with exit code ${exitCode}${error === '' ? '' : `: ${error}`}; see \`docker logs ${node}\``,
    );
  try {
    // What the round looked at was a stopped container.
    const [result] = await openNode(context.engine, node, true).perform(
      [{ op: 'run', argv: ['systemctl', 'is-active', ...bootUnits], timeoutSeconds: 5 }],
      { timeoutMs: 10_000, signal: context.signal },
    );
    if (result?.ok !== true || result.op !== 'run') return result?.ok === false ? result.reason : 'no answer';
    // The exit code is 0 as soon as one of the two is active.
    const states = result.stdout.toString('utf8').trim().split('\n');
    if (states.length === bootUnits.length && states.every((unit) => unit === 'active')) return 'booted';
    return `${bootUnits.join(' and ')} are ${states.join(' and ') || 'not there yet'}`;
  } catch (caught) {
    if (caught instanceof EngineError && !context.signal.aborted) return caught.message;
    throw caught;
  }
}
