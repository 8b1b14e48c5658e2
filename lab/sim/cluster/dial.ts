import { isIP } from 'node:net';
import type { NodeMachine } from '../contracts.ts';
import type { Connection } from './connection.ts';
import { chooseBackend } from './load-balancer.ts';
import { type ApiServer, type ClusterWorld, findMachine } from './world.ts';

export type Dialled =
  | { readonly ok: true; readonly server: ApiServer }
  | {
      readonly ok: false;
      readonly why: 'refused' | 'no-route' | 'name' | 'reset' | 'tls' | 'unauthorized';
      /** In the words of Go's net package. */
      readonly message: string;
      /** How long it takes to find out, in milliseconds. */
      readonly tookMs: number;
    };

/** Where a connection from a node ends: at whose port, if anybody listens there. */
export function connect(world: ClusterWorld, from: NodeMachine, host: string, port: number): Dialled {
  const isOwn = ['localhost', '127.0.0.1', '::1'].includes(host);
  const found = isOwn ? { container: from.name, ipv4: '127.0.0.1' } : world.context.network.resolve(host);
  if (found === undefined && isIP(host) === 0) {
    const message = `dial tcp: lookup ${host} on ${from.interfaces()[0]?.gateway ?? '172.18.0.1'}:53: no such host`;
    return { ok: false, why: 'name', message, tookMs: 10 };
  }
  const address = isIP(host) === 0 ? (found?.ipv4 ?? host) : host;
  const target = formatTarget(address, port);
  if (found === undefined) {
    const hasNetwork = from.interfaces().length > 0;
    const reason = hasNetwork ? 'connect: no route to host' : 'connect: network is unreachable';
    return { ok: false, why: 'no-route', message: `dial tcp ${target}: ${reason}`, tookMs: hasNetwork ? 3_060 : 1 };
  }
  const machine = findMachine(world, found.container);
  const refused = { ok: false, why: 'refused', message: `dial tcp ${target}: connect: connection refused`, tookMs: 1 };
  if (machine?.role === 'external-load-balancer') {
    const backend = chooseBackend(world, machine);
    if (backend.ok) return { ok: true, server: backend.server };
    return backend.listens
      ? { ok: false, why: 'reset', message: 'EOF', tookMs: 5 }
      : (refused as Dialled & { ok: false });
  }
  const server = world.apiServers.get(found.container);
  return server?.port === port ? { ok: true, server } : (refused as Dialled & { ok: false });
}

/** A connection with TLS and the client's certificate, as the programs of a node make it. */
export function dialApi(world: ClusterWorld, from: NodeMachine, connection: Connection): Dialled {
  const dialled = connect(world, from, connection.host, connection.port);
  if (!dialled.ok) return dialled;
  const { server } = dialled;
  const now = world.context.clock.now();
  const mistrust = world.trust.refuseServer(server.certificatePem, connection.authorityPem, connection.host, now);
  if (mistrust !== undefined) return { ok: false, why: 'tls', message: mistrust, tookMs: 10 };
  const refusal = world.trust.refuseClient(connection.clientCertificatePem, server.clientAuthorityPem, now);
  return refusal === undefined ? dialled : { ok: false, why: 'unauthorized', message: refusal, tookMs: 10 };
}

function formatTarget(address: string, port: number): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}
