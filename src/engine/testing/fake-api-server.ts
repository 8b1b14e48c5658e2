import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';

export interface FakeApi {
  /** Whether anything answers behind the port; connections are closed otherwise, as Docker's proxy does. */
  isUp(): boolean;
  listNodes(): readonly object[];
  listLeases(namespace: string | undefined): readonly object[];
  /** The status of an answer that is a refusal; undefined where the request is answered as usual. */
  refuse(path: string): number | undefined;
  /** A watch lasts so long and then ends by itself: the time goes on, and the world with it. */
  passTime(): void;
}

export interface RunningServer {
  readonly port: number;
  close(): Promise<void>;
}

/** An API server on a port of this host, for clients with certificates of its authority alone. */
export async function serveApi(
  identity: { readonly key: string; readonly cert: string; readonly ca: string },
  api: FakeApi,
): Promise<RunningServer> {
  const server: Server = createServer(
    { ...identity, requestCert: true, rejectUnauthorized: true },
    (request, response) => answer(api, request, response),
  );
  server.on('connection', (socket) => {
    if (!api.isUp()) socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function answer(api: FakeApi, request: IncomingMessage, response: ServerResponse): void {
  if (!api.isUp()) {
    request.socket.destroy();
    return;
  }
  const url = new URL(request.url ?? '/', 'https://api');
  const refusal = api.refuse(url.pathname);
  if (refusal !== undefined) {
    response.writeHead(refusal, { 'content-type': 'application/json' }).end(JSON.stringify({ message: 'refused' }));
    return;
  }
  const isWatch = url.searchParams.get('watch') === '1';
  if (isWatch) api.passTime();
  const items = listItems(api, url.pathname);
  if (url.pathname === '/readyz') {
    response.writeHead(200, { 'content-type': 'text/plain' }).end('ok');
  } else if (items === undefined) {
    response.writeHead(404, { 'content-type': 'application/json' }).end(JSON.stringify({ message: 'not found' }));
  } else if (isWatch) {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(items.map((object) => `${JSON.stringify({ type: 'MODIFIED', object })}\n`).join(''));
  } else {
    const list = { kind: 'List', metadata: { resourceVersion: '1' }, items };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(list));
  }
}

function listItems(api: FakeApi, path: string): readonly object[] | undefined {
  if (path === '/api/v1/nodes') return api.listNodes();
  const leases = /^\/apis\/coordination\.k8s\.io\/v1\/(?:namespaces\/([^/]+)\/)?leases$/.exec(path);
  return leases === null ? undefined : api.listLeases(leases[1]);
}
