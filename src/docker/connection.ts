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
    const { host, port, username, agent } = transport;
    return { protocol: 'ssh', host, port, username, pathPrefix: '/', sshOptions: { agent } };
  }
  const { host, port, pathPrefix, tls } = transport;
  if (!tls) {
    return { protocol: 'http', host, port, pathPrefix, agent: new HttpAgent({ keepAlive: false }) };
  }
  const { ca, cert, key, skipVerify } = tls;
  const agent = new HttpsAgent({ keepAlive: false, rejectUnauthorized: !skipVerify });
  return { protocol: 'https', host, port, pathPrefix, agent, ca, cert, key };
}
