/**
 * A node's inside: files, facts and commands. What is asked for is data (`NodeOperation`); one call carries
 * many of them in a single exec, so that looking at a node costs one round trip.
 */

export type NodeOperation =
  /** One file's bytes. Symbolic links are followed. */
  | { readonly op: 'read'; readonly path: string }
  /** Every regular file directly inside a folder whose name ends with `suffix` (which may be empty). */
  | { readonly op: 'read-directory'; readonly directory: string; readonly suffix: string }
  /** Name and size of what lies directly inside a folder, hidden entries too, where the name starts with `prefix`. */
  | { readonly op: 'list-directory'; readonly directory: string; readonly prefix: string }
  /** An argument vector, never a shell string; the two streams are kept apart. */
  | { readonly op: 'run'; readonly argv: readonly string[]; readonly timeoutSeconds: number }
  /**
   * New bytes for a file: written to `temporary` (same file system), flushed, given mode and owner, then renamed
   * over `path`. Readers see the old file or the new one, never a part.
   */
  | {
      readonly op: 'replace';
      readonly path: string;
      readonly temporary: string;
      readonly contents: Uint8Array;
      readonly mode: number;
      readonly uid: number;
      readonly gid: number;
    }
  /** Removes one file; a file that is not there is no failure. */
  | { readonly op: 'remove'; readonly path: string };

export interface NodeFile {
  readonly path: string;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly contents: Buffer;
}

export type NodeOperationResult =
  | { readonly op: 'read'; readonly ok: true; readonly file: NodeFile }
  | { readonly op: 'read-directory'; readonly ok: true; readonly files: readonly NodeFile[] }
  | {
      readonly op: 'list-directory';
      readonly ok: true;
      readonly entries: readonly { readonly name: string; readonly size: number }[];
    }
  /** `ok` tells that the command ran, whatever it answered; 124 is the exit code of one that took too long. */
  | {
      readonly op: 'run';
      readonly ok: true;
      readonly exitCode: number;
      readonly stdout: Buffer;
      readonly stderr: Buffer;
    }
  | { readonly op: 'replace' | 'remove'; readonly ok: true }
  /** `missing`: there is no such file or folder. `stopped`: needs a running container. `failed`: anything else. */
  | {
      readonly op: NodeOperation['op'];
      readonly ok: false;
      readonly why: 'missing' | 'stopped' | 'failed';
      readonly reason: string;
    };

export interface Node {
  readonly name: string;
  /**
   * Carries out the operations in order and answers one result for each, in the same order. Operations do not stop at
   * one that failed. Rejects with an EngineError where the engine or the container as a whole cannot be reached.
   * On a stopped container the reads are answered through the archive API; the rest fails with `stopped`.
   */
  perform(
    operations: readonly NodeOperation[],
    options: { readonly timeoutMs: number; readonly signal?: AbortSignal },
  ): Promise<NodeOperationResult[]>;
}
