import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { EngineEndpoint } from '../endpoint.ts';

export interface FakeRequest {
  readonly method: string;
  readonly url: URL;
  readonly body: Buffer;
}

/** The engine's side of a hijacked exec connection. */
export interface FakeExec {
  readonly argv: readonly string[];
  readonly environment: readonly string[];
  /** Everything the caller wrote before it closed its half. */
  readStdin(): Promise<Buffer>;
  write(stream: 1 | 2 | 3, bytes: Buffer | string): void;
  /** Bytes as they are, outside Docker's framing. */
  writeRaw(bytes: Buffer): void;
  /** Resolves when the caller has torn the connection down. */
  readonly closed: Promise<void>;
}

export interface FakeEngineScript {
  /** Answers by `METHOD /path`; `_ping` answers by itself. */
  readonly routes?: Readonly<Record<string, (request: FakeRequest, response: ServerResponse) => void>>;
  /** Plays a command; what it resolves with is the exit code. The connection is closed after it. */
  readonly exec?: (exec: FakeExec) => Promise<number>;
  /** How many inspections of an exec call it running although its streams have ended. */
  readonly lateExits?: number;
}

export interface FakeEngine {
  readonly endpoint: EngineEndpoint;
  readonly requests: FakeRequest[];
  close(): Promise<void>;
}

interface ExecState {
  readonly argv: readonly string[];
  readonly environment: readonly string[];
  readonly hasInput: boolean;
  exitCode: number | null;
  inspections: number;
}

/** A Docker Engine API on a unix socket, as small as the tests of the adapter need it. */
export async function startFakeEngine(script: FakeEngineScript = {}): Promise<FakeEngine> {
  const folder = await mkdtemp(join(tmpdir(), 'rekindle-engine-'));
  const path = join(folder, 'docker.sock');
  const requests: FakeRequest[] = [];
  const execs: ExecState[] = [];
  const sockets = new Set<Socket>();

  const server = createServer((message, response) => {
    void receive(message, response);
  });
  const receive = async (message: IncomingMessage, response: ServerResponse) => {
    const request = { method: message.method ?? '', url: readUrl(message), body: await buffer(message) };
    requests.push(request);
    answer(script, execs, request, response);
  };
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
  });
  server.on('upgrade', (message: IncomingMessage, socket: Duplex, head: Buffer) => {
    const state = execs[Number(/^\/exec\/(\d+)\/start$/.exec(readUrl(message).pathname)?.[1])];
    socket.unshift(head);
    void playExec(script, state, socket, Number(message.headers['content-length'] ?? 0));
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));

  return {
    endpoint: { source: 'test', url: `unix://${path}`, transport: { kind: 'socket', path } },
    requests,
    async close() {
      for (const socket of sockets) {
        socket.destroy();
      }
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true });
    },
  };
}

export function sendJson(response: ServerResponse, status: number, document: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(document));
}

/** Docker's frame around a piece of output. */
export function frame(stream: number, bytes: Buffer | string): Buffer {
  const payload = Buffer.from(bytes);
  const header = Buffer.alloc(8);
  header[0] = stream;
  header.writeUInt32BE(payload.length, 4);
  return Buffer.concat([header, payload]);
}

function answer(script: FakeEngineScript, execs: ExecState[], request: FakeRequest, response: ServerResponse): void {
  const { method, url } = request;
  const route = script.routes?.[`${method} ${url.pathname}`];
  if (route) {
    route(request, response);
  } else if (url.pathname === '/_ping') {
    response.end('OK');
  } else if (script.exec && /^\/containers\/[^/]+\/exec$/.test(url.pathname)) {
    const asked: { Cmd: string[]; Env?: string[]; AttachStdin: boolean } = JSON.parse(request.body.toString());
    const state = { argv: asked.Cmd, environment: asked.Env ?? [], hasInput: asked.AttachStdin };
    execs.push({ ...state, exitCode: null, inspections: 0 });
    sendJson(response, 201, { Id: String(execs.length - 1) });
  } else {
    const state = execs[Number(/^\/exec\/(\d+)\/json$/.exec(url.pathname)?.[1])];
    if (state) {
      const late = state.inspections < (script.lateExits ?? 0);
      state.inspections += 1;
      sendJson(response, 200, { Running: late, ExitCode: late ? null : state.exitCode });
    } else {
      sendJson(response, 404, { message: `no route for ${method} ${url.pathname}` });
    }
  }
}

async function playExec(
  script: FakeEngineScript,
  state: ExecState | undefined,
  socket: Duplex,
  bodyLength: number,
): Promise<void> {
  if (!state || !script.exec) {
    socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 27\r\n\r\n{"message":"no such exec"}\r\n');
    return;
  }
  let input = Buffer.alloc(0);
  const inputEnded = new Promise<void>((resolve) => {
    socket.on('data', (chunk: Buffer) => {
      input = Buffer.concat([input, chunk]);
    });
    socket.on('end', resolve);
  });
  const closed = new Promise<void>((resolve) => {
    socket.on('close', () => resolve());
    // Without input to come, the end of the caller's half is the end of the caller.
    socket.on('end', () => !state.hasInput && resolve());
  });
  socket.on('error', () => {});
  socket.write('HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n');
  state.exitCode = await script.exec({
    argv: state.argv,
    environment: state.environment,
    async readStdin() {
      await inputEnded;
      // The request's own body comes first on the connection.
      return state.hasInput ? input.subarray(bodyLength) : Buffer.alloc(0);
    },
    write: (stream, bytes) => socket.write(frame(stream, bytes)),
    writeRaw: (bytes) => socket.write(bytes),
    closed,
  });
  socket.end();
}

function readUrl(message: IncomingMessage): URL {
  return new URL(message.url ?? '/', 'http://engine');
}
