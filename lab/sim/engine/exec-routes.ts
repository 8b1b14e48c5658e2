import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Docker } from './docker.ts';
import { describeExec } from './documents.ts';
import type { ExecRecord, ExecStreams } from './exec.ts';
import { checkStartable, runExec } from './exec.ts';
import type { Answer, EngineRequest, Route } from './http.ts';
import { answerJson, firstOf, readJson, route } from './http.ts';
import type { Lease } from './lease.ts';
import { holdBriefly } from './lease.ts';
import { writeEvent } from './lifecycle.ts';

export const execRoutes: readonly Route[] = [
  route('POST /containers/:id/exec', createExec),
  route('POST /exec/:id/start', startExec),
  route('POST /exec/:id/resize', (request) => {
    request.docker.execs.find(firstOf(request));
    return { status: 200 };
  }),
  route('GET /exec/:id/json', (request) => answerJson(describeExec(request.docker.execs.find(firstOf(request))))),
];

async function createExec(request: EngineRequest): Promise<Answer> {
  const { docker } = request;
  const record = docker.find(firstOf(request));
  const asked = await readJson(request.message);
  const list = (name: string) => (Array.isArray(asked[name]) ? (asked[name] as unknown[]).map(String) : []);
  const exec = docker.execs.add(record, {
    argv: list('Cmd'),
    environment: list('Env'),
    attachStdin: asked['AttachStdin'] === true,
    attachStdout: asked['AttachStdout'] === true,
    attachStderr: asked['AttachStderr'] === true,
    tty: asked['Tty'] === true,
  });
  writeEvent(record, docker, `exec_create: ${exec.spec.argv.join(' ')}`, { execID: exec.id });
  return answerJson({ Id: exec.id }, 201);
}

/** A client that asks for no upgrade: the answer's body is the stream, and there is no way to an input. */
async function startExec(request: EngineRequest): Promise<Answer> {
  const { docker, response, lease } = request;
  const exec = docker.execs.find(firstOf(request));
  const { Detach: detach } = await readJson(request.message);
  checkStartable(exec);
  const left = new AbortController();
  if (detach === true) {
    void runExec(
      exec,
      connectStreams(exec, () => undefined, left.signal),
      docker,
    );
    return { status: 200 };
  }
  response.useChunkedEncodingByDefault = false;
  response.writeHead(200, { 'Content-Type': describeStream(exec), Connection: 'close' });
  response.flushHeaders();
  response.on('close', () => left.abort(new Error('nobody listens any more')));
  const streams = connectStreams(exec, (bytes) => void response.write(bytes), left.signal);
  await holdBriefly(lease, runExec(exec, streams, docker));
  response.end();
  return 'taken';
}

/** A client that asked to upgrade: the connection becomes the stream, in both directions. */
export async function hijackExec(
  docker: Docker,
  id: string,
  message: IncomingMessage,
  socket: Duplex,
  lease: Lease,
): Promise<void> {
  const exec = docker.execs.find(id);
  checkStartable(exec);
  const left = new AbortController();
  const input = readInput(socket, Number(message.headers['content-length'] ?? 0));
  const leave = () => left.abort(new Error('nobody listens any more'));
  socket.on('close', leave);
  socket.on('error', leave);
  const head = [
    'HTTP/1.1 101 UPGRADED',
    `Content-Type: ${describeStream(exec)}`,
    'Connection: Upgrade',
    'Upgrade: tcp',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  const stopProbing = exec.spec.tty ? () => undefined : probeCaller(docker, socket);
  const streams = connectStreams(exec, (bytes) => void (socket.writable && socket.write(bytes)), left.signal);
  const readStdin = exec.spec.attachStdin ? () => input : streams.readStdin;
  if (exec.spec.attachStdin) await holdBriefly(lease, input);
  await holdBriefly(lease, runExec(exec, { ...streams, readStdin }, docker));
  stopProbing();
  socket.end();
}

/**
 * The end of a caller's half may be the end of the caller, and nothing tells of one that leaves later: writing to it
 * does, if only a frame without contents.
 */
function probeCaller(docker: Docker, socket: Duplex): () => void {
  let cancel: () => void = () => undefined;
  const probe = () => {
    if (!socket.writable) return;
    socket.write(frame(STDOUT, ''));
    cancel = docker.clock.schedule(PROBE_INTERVAL_MS, probe);
  };
  socket.on('end', probe);
  return () => {
    socket.off('end', probe);
    cancel();
  };
}

const PROBE_INTERVAL_MS = 1_000;
const STDOUT = 1;
const STDERR = 2;

function connectStreams(exec: ExecRecord, write: (bytes: Buffer) => void, gone: AbortSignal): ExecStreams {
  const { attachStdout, attachStderr, tty } = exec.spec;
  const pack = (stream: number, bytes: Uint8Array | string) =>
    tty ? Buffer.from(bytes as string) : frame(stream, bytes);
  return {
    readStdin: () => Promise.resolve(Buffer.alloc(0)),
    writeStdout: (bytes) => attachStdout && bytes.length > 0 && write(pack(STDOUT, bytes)),
    writeStderr: (bytes) => attachStderr && bytes.length > 0 && write(pack(STDERR, bytes)),
    gone,
  };
}

/** All that comes until the caller closes its half. The request's own body comes first on the connection. */
function readInput(socket: Duplex, bodyLength: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  const input = new Promise<Buffer>((resolve) => {
    const settle = () => resolve(Buffer.concat(pieces).subarray(bodyLength));
    socket.on('data', (piece: Buffer) => pieces.push(piece));
    socket.on('end', settle);
    socket.on('close', settle);
  });
  return input;
}

function describeStream(exec: ExecRecord): string {
  return `application/vnd.docker.${exec.spec.tty ? 'raw' : 'multiplexed'}-stream`;
}

/** Docker's frame around a piece of output: stream number, three zeros, length. */
function frame(stream: number, bytes: Uint8Array | string): Buffer {
  const payload = Buffer.from(bytes as Uint8Array);
  const header = Buffer.alloc(8);
  header[0] = stream;
  header.writeUInt32BE(payload.length, 4);
  return Buffer.concat([header, payload]);
}
