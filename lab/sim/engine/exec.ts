import type { ContainerRecord } from './container.ts';
import { isRunning } from './container.ts';
import { writeEvent } from './lifecycle.ts';
import { DockerRefusal } from './refusal.ts';

export interface ExecSpec {
  readonly argv: readonly string[];
  readonly environment: readonly string[];
  readonly attachStdin: boolean;
  readonly attachStdout: boolean;
  readonly attachStderr: boolean;
  readonly tty: boolean;
}

export interface ExecRecord {
  readonly id: string;
  readonly container: ContainerRecord;
  readonly spec: ExecSpec;
  state: 'created' | 'running' | 'ended';
  exitCode: number | null;
}

/** Where a command's streams lead. */
export interface ExecStreams {
  readonly readStdin: () => Promise<Buffer>;
  readonly writeStdout: (bytes: Uint8Array | string) => void;
  readonly writeStderr: (bytes: Uint8Array | string) => void;
  /** Aborts when nobody listens any more. */
  readonly gone: AbortSignal;
}

export interface ExecStore {
  add(container: ContainerRecord, spec: ExecSpec): ExecRecord;
  find(id: string): ExecRecord;
}

/** Ended ones are kept for whoever asks for the exit code, and dropped when this many newer ones came. */
const KEPT = 1_024;

export function createExecStore(makeId: () => string): ExecStore {
  const records = new Map<string, ExecRecord>();
  return {
    add(container, spec) {
      if (!isRunning(container)) throw new DockerRefusal(409, `container ${container.id} is not running`);
      if (spec.argv.length === 0) throw new DockerRefusal(400, 'No exec command specified');
      const record: ExecRecord = { id: makeId(), container, spec, state: 'created', exitCode: null };
      records.set(record.id, record);
      const [oldest] = records.values();
      if (records.size > KEPT && oldest !== undefined) records.delete(oldest.id);
      return record;
    },
    find(id) {
      const record = records.get(id);
      if (record === undefined) throw new DockerRefusal(404, `No such exec instance: ${id}`);
      return record;
    },
  };
}

/** Throws a DockerRefusal where the exec cannot be started; nothing has been written then. */
export function checkStartable(exec: ExecRecord): void {
  if (exec.state !== 'created') throw new DockerRefusal(409, `exec command ${exec.id} has already run`);
  if (!isRunning(exec.container)) throw new DockerRefusal(409, `container ${exec.container.id} is not running`);
}

/** Resolves when the command has ended, its exit code is booked and all its output is written. */
export async function runExec(
  exec: ExecRecord,
  streams: ExecStreams,
  events: Parameters<typeof writeEvent>[1],
): Promise<void> {
  const { container, spec } = exec;
  const life = container.life.signal;
  exec.state = 'running';
  writeEvent(container, events, `exec_start: ${spec.argv.join(' ')}`, { execID: exec.id });
  let open = true;
  const guard = (write: (bytes: Uint8Array | string) => void) => (bytes: Uint8Array | string) => {
    if (open) write(bytes);
  };
  let onEnd = () => {};
  const ended = new Promise<number>((resolve) => {
    onEnd = () => resolve(SIGKILL_CODE);
    life.addEventListener('abort', onEnd, { once: true });
  });
  const run = container.spec.guest
    .exec({
      argv: spec.argv,
      environment: spec.environment,
      readStdin: streams.readStdin,
      writeStdout: guard(streams.writeStdout),
      writeStderr: guard(streams.writeStderr),
      signal: AbortSignal.any([life, streams.gone]),
    })
    .catch((error: unknown) => {
      guard(streams.writeStderr)(`${error instanceof Error ? error.message : String(error)}\n`);
      return CANNOT_RUN_CODE;
    });
  exec.exitCode = await Promise.race([run, ended]);
  // A container lives through any number of commands.
  life.removeEventListener('abort', onEnd);
  open = false;
  exec.state = 'ended';
  writeEvent(container, events, 'exec_die', { execID: exec.id, exitCode: String(exec.exitCode) });
}

const SIGKILL_CODE = 137;
const CANNOT_RUN_CODE = 126;
