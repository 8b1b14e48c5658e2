import type { Engine } from '../../docker/port.ts';
import type { Facts } from '../../facts/facts.ts';
import type { Node, NodeFile, NodeOperation, NodeOperationResult } from '../../node/port.ts';
import type { Step, StepOf } from '../../repairs/step.ts';
import type { Run, RunStore } from '../../runs/journal.ts';
import type { ClusterAccess } from '../gather/access.ts';
import type { World } from '../world.ts';

/** What a step may act through, and where it keeps what it changes. */
export interface StepContext {
  readonly world: World;
  readonly engine: Engine;
  readonly cluster: string;
  readonly access: ClusterAccess;
  /** What the plan was made from. */
  readonly facts: Facts;
  readonly run: Run;
  readonly store: RunStore;
  readonly round: number;
  /** The planned step's id. */
  readonly id: string;
  readonly signal: AbortSignal;
  /** When each node's kubelet was last restarted in this run, by the node's clock in milliseconds. */
  readonly kubeletRestarts: Map<string, number>;
  progress(text: string): void;
}

/** Answers what came of it, in a few words; empty where the title says it all. Rejects where it failed. */
export type ExecuteStep<Kind extends Step['kind']> = (step: StepOf<Kind>, context: StepContext) => Promise<string>;

/** The world is not as the plan took it to be: the step is left out, which is no failure. */
export class PreconditionError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PreconditionError';
  }
}

export function nodeOf(context: StepContext, name: string): Node {
  const node = context.access.nodes.get(name);
  if (node === undefined) throw new PreconditionError(`there is no node ${name}`);
  return node;
}

type ResultOf<Operation extends NodeOperation> = Extract<
  NodeOperationResult,
  { readonly ok: true; readonly op: Operation['op'] }
>;

/** Carries out operations that must all have an answer; rejects with the first that has none. */
export async function performAll<const Operations extends readonly NodeOperation[]>(
  context: StepContext,
  node: string,
  operations: Operations,
  timeoutMs: number,
): Promise<{ [Place in keyof Operations]: ResultOf<Operations[Place]> }> {
  const results = await nodeOf(context, node).perform(operations, { timeoutMs, signal: context.signal });
  for (const [place, result] of results.entries()) {
    if (!result.ok) throw new Error(`${describeOperation(operations[place])} on ${node}: ${result.reason}`);
  }
  return results as unknown as { [Place in keyof Operations]: ResultOf<Operations[Place]> };
}

/** Runs one command in a node; rejects, with what it said last, where it ends with another exit code than 0. */
export async function runInNode(
  context: StepContext,
  node: string,
  argv: readonly string[],
  timeoutSeconds: number,
): Promise<string> {
  const [result] = await performAll(context, node, [{ op: 'run', argv, timeoutSeconds }], (timeoutSeconds + 5) * 1000);
  if (result.exitCode !== 0) throw new Error(commandFailure(node, argv, result));
  return result.stdout.toString('utf8');
}

export function commandFailure(
  node: string,
  argv: readonly string[],
  result: { readonly exitCode: number; readonly stdout: Buffer; readonly stderr: Buffer },
): string {
  const said = (result.stderr.toString('utf8').trim() || result.stdout.toString('utf8').trim())
    .split('\n')
    .slice(-2)
    .join(' ');
  return `\`${argv.join(' ')}\` on ${node} ended with exit code ${result.exitCode}${said === '' ? '' : `: ${said}`}`;
}

/** One file, or null where there is none; rejects where it is there and cannot be read. */
export async function readNodeFile(context: StepContext, node: string, path: string): Promise<NodeFile | null> {
  const [result] = await nodeOf(context, node).perform([{ op: 'read', path }], {
    timeoutMs: fileTimeoutMs,
    signal: context.signal,
  });
  if (result?.ok === true && result.op === 'read') return result.file;
  if (result?.ok === false && result.why === 'missing') return null;
  throw new Error(`${path} on ${node}: ${result?.ok === false ? result.reason : 'not answered'}`);
}

export const fileTimeoutMs = 15_000;

/**
 * Where new bytes are written before they are renamed into place: the same file system, and never the manifests
 * folder, where the kubelet takes every file for a pod.
 */
export function temporaryPath(context: StepContext, path: string): string {
  const folder = path.slice(0, path.lastIndexOf('/'));
  return `${folder === '/etc/kubernetes/manifests' ? '/etc/kubernetes' : folder}/.rekindle-${context.run.id}-${context.round}-${context.id}`;
}

/** Writes a file's new bytes into a node, with the old bytes kept first. */
export async function replaceNodeFile(
  context: StepContext,
  node: string,
  file: NodeFile,
  contents: Uint8Array,
): Promise<void> {
  const where = { round: context.round, step: context.id, node, path: file.path };
  await context.run.keepBackup(where, file);
  await context.run.keepResult(where, contents);
  await performAll(
    context,
    node,
    [
      {
        op: 'replace',
        path: file.path,
        temporary: temporaryPath(context, file.path),
        contents,
        mode: file.mode,
        uid: file.uid,
        gid: file.gid,
      },
    ],
    fileTimeoutMs,
  );
}

function describeOperation(operation: NodeOperation | undefined): string {
  if (operation === undefined) return 'an operation';
  if (operation.op === 'run') return `\`${operation.argv.join(' ')}\``;
  return `${operation.op} ${'path' in operation ? operation.path : operation.directory}`;
}
