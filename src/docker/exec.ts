import type { Duplex } from 'node:stream';
import type Docker from 'dockerode';
import { createDemultiplexer } from './demultiplex.ts';
import type { Sleep } from '../sleep.ts';
import type { Deadline } from './deadline.ts';
import type { ExecRequest, ExecResult } from './port.ts';
import { EngineError } from './port.ts';

export interface ExecOptions {
  readonly sleep: Sleep;
  /**
   * How the end of standard input is told. A Windows pipe has no half-closed state: there the engine takes an empty
   * message for the end, and closing would lose the output still to come.
   */
  readonly endInput: 'half-close' | 'empty-message';
}

/** How often, and how far apart, the exit code is asked for after the streams have ended. */
const INSPECTIONS = 50;
const INSPECTION_PAUSE_MS = 20;

/** Runs a command in a container; both streams are complete before the exit code is read. */
export async function runExec(
  container: Docker.Container,
  request: ExecRequest,
  deadline: Deadline,
  options: ExecOptions,
): Promise<ExecResult> {
  const exec = await container.exec({
    Cmd: [...request.argv],
    AttachStdin: request.stdin !== undefined,
    AttachStdout: true,
    AttachStderr: true,
    Tty: false,
    ...(request.environment ? { Env: listEnvironment(request.environment) } : {}),
    abortSignal: deadline.signal,
  });
  const stream = await exec.start({
    hijack: true,
    stdin: request.stdin !== undefined,
    Detach: false,
    Tty: false,
    abortSignal: deadline.signal,
  });
  const output = await readOutput(stream, request, deadline.signal, options);
  return { exitCode: await readExitCode(exec, deadline.signal, options), ...output };
}

function readOutput(
  stream: Duplex,
  request: ExecRequest,
  signal: AbortSignal,
  options: ExecOptions,
): Promise<{ stdout: Buffer; stderr: Buffer }> {
  return new Promise((resolve, reject) => {
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    let inputDone = request.stdin === undefined;
    const demultiplexer = createDemultiplexer({
      stdout: (piece) => {
        stdout.push(piece);
        request.onStdout?.(piece);
      },
      stderr: (piece) => stderr.push(piece),
    });
    const finish = (settle: () => void) => {
      signal.removeEventListener('abort', onAbort);
      settle();
      stream.destroy();
    };
    const fail = (error: unknown) => finish(() => reject(error));
    const onAbort = () => fail(new Error('called off'));
    const guard = (work: () => void) => {
      try {
        work();
      } catch (error) {
        fail(error);
      }
    };
    signal.addEventListener('abort', onAbort, { once: true });
    stream.on('data', (chunk: Buffer) => guard(() => demultiplexer.push(chunk)));
    stream.on('end', () =>
      guard(() => {
        demultiplexer.end();
        finish(() => resolve({ stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr) }));
      }),
    );
    stream.on('error', (error) =>
      fail(inputDone ? error : new Error('the command ended before it had read its input')),
    );
    stream.on('close', () => fail(new Error('the connection was lost before the output was complete')));
    if (request.stdin !== undefined) {
      const onWritten = () => {
        inputDone = true;
      };
      if (options.endInput === 'half-close') {
        stream.end(request.stdin, onWritten);
      } else {
        stream.write(request.stdin);
        stream.write(Buffer.alloc(0), onWritten);
      }
    }
  });
}

/** The engine may close the streams a moment before it books the exit. */
async function readExitCode(exec: Docker.Exec, signal: AbortSignal, options: ExecOptions): Promise<number> {
  for (let inspection = 0; inspection < INSPECTIONS; inspection += 1) {
    const state = await exec.inspect({ abortSignal: signal });
    if (!state.Running && state.ExitCode !== null) {
      return state.ExitCode;
    }
    await options.sleep(INSPECTION_PAUSE_MS, signal);
  }
  throw new EngineError('failed', 'the output ended but the engine still calls the command running');
}

function listEnvironment(environment: Readonly<Record<string, string>>): string[] {
  return Object.entries(environment).map(([name, value]) => `${name}=${value}`);
}
