/** The state folder could not be read or written. The message says what was tried, where, why not, and what to do. */
export class StateError extends Error {
  readonly path: string;
  /** The system's code, such as ENOSPC; empty where it was not the system that refused. */
  readonly code: string;
  constructor(message: string, options: { path: string; code?: string; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.name = 'StateError';
    this.path = options.path;
    this.code = options.code ?? '';
  }
}

/** No run, or more than one, goes by this name. */
export class RunNotFoundError extends Error {
  /** Ids that were probably meant. */
  readonly closest: readonly string[];
  constructor(message: string, closest: readonly string[] = []) {
    super(message);
    this.name = 'RunNotFoundError';
    this.closest = closest;
  }
}

const explanations: Readonly<Record<string, { readonly reason: string; readonly advice: string }>> = {
  ENOSPC: { reason: 'the disk is full', advice: 'Free some space there' },
  EDQUOT: { reason: 'the disk quota is used up', advice: 'Free some space there' },
  EFBIG: { reason: 'the file would exceed the largest size allowed', advice: 'Raise the limit (ulimit -f)' },
  EACCES: { reason: 'permission denied', advice: 'Make the folder yours (chown, chmod u+rwx)' },
  EPERM: { reason: 'the operation is not permitted', advice: 'Make the folder yours (chown, chmod u+rwx)' },
  EROFS: { reason: 'the file system is read-only', advice: 'Mount it writable' },
  EIO: { reason: 'the disk reported an error', advice: 'Check the disk' },
  ENOTDIR: { reason: 'a part of the path is a file, not a folder', advice: 'Move that file away' },
  EISDIR: { reason: 'there is a folder where a file should be', advice: 'Move that folder away' },
  ENOENT: { reason: 'it is not there', advice: 'Check whether it was removed' },
  EMFILE: { reason: 'too many files are open', advice: 'Raise the limit (ulimit -n)' },
  ENAMETOOLONG: { reason: 'the path is too long', advice: 'Choose a shorter folder' },
};

export function systemCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** Turns what the system says (`ENOSPC`) into a StateError; `what` completes "cannot …". A StateError stays what it is. */
export function toStateError(error: unknown, what: string, path: string): StateError {
  if (error instanceof StateError) return error;
  const code = systemCode(error);
  const known = explanations[code];
  const reason = known?.reason ?? (error instanceof Error ? error.message : String(error));
  const advice = known?.advice ?? 'Check that folder';
  return new StateError(
    `cannot ${what}: ${reason} (${path}). ${advice}, or name another folder for rekindle's data in XDG_DATA_HOME.`,
    { path, code, cause: error },
  );
}
