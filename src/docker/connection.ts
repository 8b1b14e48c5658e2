import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type Docker from 'dockerode';
import type { EngineEndpoint } from './endpoint.ts';

/**
 * Every key is set, if only to undefined: the library fills what is absent from DOCKER_HOST and its companions, which
 * are not ours to follow once another endpoint was chosen. Connections are not kept: one that outlived the engine it
 * led to would fail the first call after a restart.
 */
export function describeConnection(endpoint: EngineEndpoint): Docker.DockerOptions {
  return { ...Object.fromEntries(LIBRARY_DEFAULTS.map((name) => [name, undefined])), ...describeTransport(endpoint) };
}

const LIBRARY_DEFAULTS = [
  'socketPath',
  'host',
  'port',
  'username',
  'protocol',
  'pathPrefix',
  'ca',
  'cert',
  'key',
  'timeout',
  'agent',
];

function describeTransport({ transport }: EngineEndpoint): object {
  if (transport.kind === 'socket' || transport.kind === 'pipe') {
    return { socketPath: transport.path, protocol: 'http', agent: new HttpAgent({ keepAlive: false }) };
  }
  if (transport.kind === 'ssh') {
    // Named here, and not by "host", the library builds no URL of it: its own is one that Node calls invalid.
    const sshOptions = { hostname: transport.host, agent: transport.agent };
    return { protocol: 'ssh', port: transport.port, username: transport.username, sshOptions };
  }
  const { host, port, tls } = transport;
  if (!tls) {
    return { protocol: 'http', host, port, agent: new HttpAgent({ keepAlive: false }) };
  }
  const { ca, cert, key, skipVerify } = tls;
  const agent = new HttpsAgent({ keepAlive: false, rejectUnauthorized: !skipVerify });
  return { protocol: 'https', host, port, agent, ca, cert, key };
}
