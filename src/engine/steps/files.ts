import { applyEdits } from '../../manifests/edits.ts';
import { temporaryPrefix } from '../gather/node.ts';
import {
  type ExecuteStep,
  fileTimeoutMs,
  performAll,
  PreconditionError,
  readNodeFile,
  replaceNodeFile,
  temporaryPath,
} from './step-context.ts';

export const editFile: ExecuteStep<'edit-file'> = async ({ node, path, edits }, context) => {
  const file = await readNodeFile(context, node, path);
  if (file === null) throw new PreconditionError(`${path} is gone from ${node}`);
  const result = applyEdits(file.contents.toString('utf8'), edits);
  if (result.kind === 'mismatch')
    throw new PreconditionError(
      `${path} on ${node} has changed since the plan was made: it has no "${result.missing}"`,
    );
  if (result.kind === 'unchanged') return 'was so already';
  await replaceNodeFile(context, node, file, Buffer.from(result.text, 'utf8'));
  return '';
};

/** Only ever a temporary file of our own. */
export const removeFile: ExecuteStep<'remove-file'> = async ({ node, path }, context) => {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (!name.startsWith(temporaryPrefix)) throw new PreconditionError(`${path} is not a temporary file of rekindle`);
  await performAll(context, node, [{ op: 'remove', path }], fileTimeoutMs);
  return '';
};

/** A kept file back in a node, whatever stands there now; that is kept in turn, so that an undo can be undone. */
export async function restoreNodeFile(
  context: Parameters<ExecuteStep<'restore-file'>>[1],
  node: string,
  path: string,
  kept: { readonly contents: Uint8Array; readonly mode: number; readonly uid: number; readonly gid: number } | null,
): Promise<string> {
  const where = { round: context.round, step: context.id, node, path };
  const present = await readNodeFile(context, node, path);
  await context.run.keepBackup(where, present);
  await context.run.keepResult(where, kept?.contents ?? null);
  if (kept === null) {
    await performAll(context, node, [{ op: 'remove', path }], fileTimeoutMs);
    return 'removed: there was none before';
  }
  const { contents, mode, uid, gid } = kept;
  await performAll(
    context,
    node,
    [{ op: 'replace', path, temporary: temporaryPath(context, path), contents, mode, uid, gid }],
    fileTimeoutMs,
  );
  return '';
}
