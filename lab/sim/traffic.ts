import { subscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import type { Socket } from 'node:net';

/*
 * Bytes that one side has written and the other has not read yet. Visitors and servers live in one process, and what is
 * between two of its sockets is seen by neither: how long the kernel takes over it depends on the machine. A world whose
 * time leapt meanwhile would go another way each time. One world at a time can be watched in a process.
 */

export interface Traffic {
  /** To be told of each connection that a server of the world accepts. */
  accept(socket: Socket): void;
  /** Whether something is between the two ends of a connection, as far as both are in this process. */
  isOnItsWay(): boolean;
}

/** Nobody waits longer than this for bytes that do not come: the other end may be in another process. Milliseconds. */
const patienceMs = 1000;

/** The sockets of every request that was made by node:http or node:https in this process. */
const clients = new Set<Socket>();
let isWatching = false;

export function watchTraffic(): Traffic {
  if (!isWatching) {
    isWatching = true;
    subscribe('http.client.request.start', (message) => {
      const { request } = message as { readonly request: ClientRequest };
      keep(clients, request.socket);
    });
  }
  const servers = new Set<Socket>();
  let last = '';
  let since = 0;

  return {
    accept: (socket) => keep(servers, socket),
    isOnItsWay() {
      const state = describe(servers);
      if (state === undefined) return false;
      if (state !== last) {
        last = state;
        since = performance.now();
      }
      return performance.now() - since < patienceMs;
    },
  };
}

function keep(sockets: Set<Socket>, socket: Socket | null): void {
  if (socket === null || sockets.has(socket) || socket.destroyed) return;
  sockets.add(socket);
  socket.once('close', () => sockets.delete(socket));
}

/** undefined where both ends have seen the same. */
function describe(servers: ReadonlySet<Socket>): string | undefined {
  const sent = sum(clients, 'bytesWritten');
  const heard = sum(clients, 'bytesRead');
  const received = sum(servers, 'bytesRead');
  const answered = sum(servers, 'bytesWritten');
  if (clients.size === servers.size && sent === received && heard === answered) return undefined;
  return [clients.size, servers.size, sent, received, heard, answered].join(' ');
}

interface Counted {
  readonly bytesRead: number;
  readonly bytesWritten: number;
}

function sum(sockets: Iterable<Socket>, key: keyof Counted): number {
  let total = 0;
  for (const socket of sockets) total += rawHandle(socket)?.[key] ?? 0;
  return total;
}

/** The handle under TLS, where there is TLS: it alone counts the bytes that were on the wire. */
function rawHandle(socket: Socket): Counted | undefined {
  const { _handle: handle } = socket as unknown as { readonly _handle?: Counted & Partial<Record<string, Counted>> };
  return handle?.['_parent'] ?? handle;
}
