import type { Engine } from '../docker/port.ts';
import { EngineError } from '../docker/port.ts';
import { readStoppedNode } from './archive-reads.ts';
import { encodeOperations, parseResults } from './operations.ts';
import type { Node, NodeOperation, NodeOperationResult } from './port.ts';

/**
 * A node by its container. `running` is what is known of it now; where an exec finds it stopped meanwhile, it is
 * treated as stopped.
 */
export function openNode(engine: Engine, container: string, running: boolean): Node {
  return {
    name: container,
    async perform(operations, options) {
      if (operations.length === 0) {
        return [];
      }
      if (running) {
        const results = await performByExec(engine, container, operations, options);
        if (results !== 'not-running') {
          return results;
        }
      }
      return readStoppedNode(engine, container, operations, options);
    },
  };
}

async function performByExec(
  engine: Engine,
  container: string,
  operations: readonly NodeOperation[],
  options: { readonly timeoutMs: number; readonly signal?: AbortSignal },
): Promise<NodeOperationResult[] | 'not-running'> {
  try {
    const result = await engine.exec(container, describeExec(operations, options));
    if (result.exitCode === 126 || result.exitCode === 127) {
      return describeNoAnswer(operations, result);
    }
    return parseResults(operations, result.stdout);
  } catch (error) {
    // Docker's word for stopped, paused and restarting containers alike.
    if (error instanceof EngineError && error.kind === 'conflict') {
      return 'not-running';
    }
    throw error;
  }
}

function describeExec(
  operations: readonly NodeOperation[],
  options: { readonly timeoutMs: number; readonly signal?: AbortSignal },
) {
  const { argv, stdin } = encodeOperations(operations);
  return { argv, ...options, ...(stdin.length > 0 ? { stdin } : {}) };
}

/** The shell did not start: no bash in the container, or a broken one. The engine tells why on standard output. */
function describeNoAnswer(
  operations: readonly NodeOperation[],
  result: { readonly exitCode: number; readonly stdout: Buffer; readonly stderr: Buffer },
): NodeOperationResult[] {
  const words = Buffer.concat([result.stderr, result.stdout]).toString('utf8').trim().split('\n')[0];
  const reason = `no shell could be started in the node (exit code ${result.exitCode}): ${words ?? ''}`;
  return operations.map(({ op }) => ({ op, ok: false, why: 'failed', reason }));
}
