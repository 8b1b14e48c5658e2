import { rm } from 'node:fs/promises';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { EngineEndpoint } from '../../../src/docker/endpoint.ts';
import { containerRoutes } from './container-routes.ts';
import type { Docker } from './docker.ts';
import { API_VERSION, versionOf } from './engine-documents.ts';
import { engineRoutes } from './engine-routes.ts';
import { execRoutes, hijackExec } from './exec-routes.ts';
import type { Answer, EngineRequest, Route } from './http.ts';
import type { Activity } from '../contracts.ts';
import { openLease } from './lease.ts';
import { DockerRefusal } from './refusal.ts';

export interface EngineServer {
  readonly endpoint: EngineEndpoint;
  /** Listens again after a cut; does nothing where it does already. */
  listen(): Promise<void>;
  /** Every connection is gone at once and nobody listens any more: the engine was killed. */
  cut(): void;
  /** Cuts for good. */
  close(): Promise<void>;
}

const ROUTES: readonly Route[] = [...containerRoutes, ...execRoutes, ...engineRoutes];

/**
 * Serves the Docker Engine API on a unix socket, and goes down and comes back with the engine. Rejects with the
 * system's error where the socket cannot be made.
 *
 * `activity` is told of each request while it is worked on, not while it waits for the clock: whoever moves a virtual
 * clock lets it stand still meanwhile.
 */
export async function startEngineServer(
  docker: Docker,
  options: { readonly socketPath: string; readonly activity?: Activity },
): Promise<EngineServer> {
  const { socketPath, activity } = options;
  const sockets = new Set<Socket>();
  let current: Server | undefined;

  const serve = async (message: IncomingMessage, response: ServerResponse) => {
    const lease = openLease(activity);
    response.on('close', () => lease.close());
    try {
      const { path, query } = readTarget(message);
      const found = findRoute(message.method ?? '', path);
      const request = { docker, query, message, response, lease, parameters: found.parameters };
      send(docker, request, await found.route.handle(request));
    } catch (error) {
      sendFailure(docker, response, error);
    }
  };
  const upgrade = async (message: IncomingMessage, socket: Duplex, head: Buffer) => {
    const lease = openLease(activity);
    socket.on('close', () => lease.close());
    socket.on('error', () => undefined);
    if (head.length > 0) socket.unshift(head);
    try {
      const { path } = readTarget(message);
      const id = /^\/exec\/([^/]+)\/start$/.exec(path)?.[1];
      if (message.method !== 'POST' || id === undefined) throw new DockerRefusal(404, 'page not found');
      await hijackExec(docker, id, message, socket, lease);
    } catch (error) {
      endWithFailure(socket, error);
    } finally {
      lease.close();
    }
  };

  const server: EngineServer = {
    endpoint: {
      source: 'simulated engine',
      url: `unix://${socketPath}`,
      transport: { kind: 'socket', path: socketPath },
    },
    async listen() {
      if (current !== undefined) return;
      const opened = createServer((message, response) => void serve(message, response));
      current = opened;
      opened.keepAliveTimeout = 0;
      opened.on('upgrade', (message, socket, head) => void upgrade(message, socket, head));
      opened.on('connection', (socket: Socket) => {
        sockets.add(socket);
        activity?.accept?.(socket);
        socket.on('error', () => undefined);
        socket.on('close', () => sockets.delete(socket));
      });
      // A socket's file outlives a process that was killed.
      await rm(socketPath, { force: true });
      await new Promise<void>((resolve, reject) => {
        opened.once('error', reject);
        opened.listen(socketPath, resolve);
      });
    },
    cut() {
      for (const socket of sockets) socket.destroy();
      current?.close();
      current = undefined;
    },
    async close() {
      stopHooks();
      server.cut();
      await rm(socketPath, { force: true });
    },
  };
  const stopHooks = docker.addHooks({
    onEngine: (state) => (state === 'up' ? server.listen() : server.cut()),
  });
  if (docker.isUp()) await server.listen();
  return server;
}

function readTarget(message: IncomingMessage): { path: string; query: URLSearchParams } {
  const url = new URL(message.url ?? '/', 'http://engine');
  return { path: url.pathname.replace(/^\/v\d+\.\d+(?=\/)/, ''), query: url.searchParams };
}

function findRoute(method: string, path: string): { route: Route; parameters: string[] } {
  for (const route of ROUTES) {
    const match = route.method === method ? route.pattern.exec(path) : null;
    if (match !== null) return { route, parameters: match.slice(1).map((part) => decodeURIComponent(part)) };
  }
  throw new DockerRefusal(404, 'page not found');
}

function send(docker: Docker, { message, response }: EngineRequest, answer: Answer): void {
  if (answer === 'taken' || response.destroyed) return;
  // What was not read of the request would be taken for the next one on this connection.
  message.resume();
  const headers = { ...commonHeaders(docker), ...answer.headers };
  if ('bytes' in answer) {
    response.writeHead(answer.status, { ...headers, 'Content-Length': answer.bytes.length }).end(answer.bytes);
  } else if (answer.document === undefined) {
    response.writeHead(answer.status, headers).end();
  } else {
    response.writeHead(answer.status, { 'Content-Type': 'application/json', ...headers });
    response.end(`${JSON.stringify(answer.document)}\n`);
  }
}

function sendFailure(docker: Docker, response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { status, message } = describeFailure(error);
  // An unmodified container has no sentence.
  const document = status === 304 ? '' : `${JSON.stringify({ message })}\n`;
  response.writeHead(status, { ...commonHeaders(docker), 'Content-Type': 'application/json' }).end(document);
}

function endWithFailure(socket: Duplex, error: unknown): void {
  const { status, message } = describeFailure(error);
  const document = `${JSON.stringify({ message })}\n`;
  const head = [`HTTP/1.1 ${status} Refused`, 'Content-Type: application/json', 'Connection: close'];
  socket.end(`${head.join('\r\n')}\r\nContent-Length: ${Buffer.byteLength(document)}\r\n\r\n${document}`);
}

function describeFailure(error: unknown): { status: number; message: string } {
  if (error instanceof DockerRefusal) return { status: error.status, message: error.message };
  return { status: 500, message: error instanceof Error ? error.message : String(error) };
}

function commonHeaders(docker: Docker): Record<string, string> {
  return {
    'Api-Version': API_VERSION,
    'Docker-Experimental': 'false',
    Ostype: 'linux',
    Server: `Docker/${versionOf(docker)} (linux)`,
  };
}
