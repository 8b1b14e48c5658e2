import type { StoredFile } from '../../runs/journal.ts';
import { hash } from '../../runs/names.ts';
import { planRestore } from '../../runs/undo.ts';
import { absentBackup } from '../../runs/undo-plan.ts';
import { restoreNodeFile } from './files.ts';
import { readHostFile, restoreHostFile } from './host-files.ts';
import { type ExecuteStep, PreconditionError, readNodeFile } from './step-context.ts';

/** Only over what the undone run left there: a file that somebody changed since is theirs. */
export const restoreFile: ExecuteStep<'restore-file'> = async ({ node, path, run, backup }, context) => {
  const file = planRestore(await context.store.read(run)).files.find(
    (candidate) => candidate.node === node && candidate.path === path,
  );
  if (file === undefined) throw new PreconditionError(`run ${run} did not change ${path}`);
  const present = node === null ? await readHostFile(path) : await readNodeFile(context, node, path);
  const found = present === null ? null : hash(present.contents);
  if (!file.mayDiffer && !file.expected.includes(found))
    throw new PreconditionError(
      `${path} has been changed since run ${run}; its old bytes are kept in the run's folder`,
    );
  const kept: StoredFile | null =
    backup === absentBackup
      ? null
      : { contents: await context.store.readStored(run, backup), mode: file.mode, uid: file.uid, gid: file.gid };
  return node === null ? await restoreHostFile(context, path, kept) : await restoreNodeFile(context, node, path, kept);
};
