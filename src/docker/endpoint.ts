/** Where an engine listens, in the words of DOCKER_HOST, taken apart. */

export interface TlsMaterial {
  /** PEM bytes; absent parts fall back to the system's roots and to no client certificate. */
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
  /** The user asked for a connection that is encrypted and not verified. */
  readonly skipVerify: boolean;
}

export type EngineTransport =
  | { readonly kind: 'socket'; readonly path: string }
  | { readonly kind: 'pipe'; readonly path: string }
  | {
      readonly kind: 'http';
      readonly host: string;
      readonly port: number;
      readonly tls?: TlsMaterial;
    }
  | {
      readonly kind: 'ssh';
      readonly host: string;
      readonly port: number;
      readonly username?: string;
      /** Path of the ssh agent's socket; the keys stay with the agent. */
      readonly agent?: string;
    };

export interface EngineEndpoint {
  /** Where it came from: `--docker-host`, `DOCKER_HOST`, `docker context "x"`, `default socket`, … */
  readonly source: string;
  /** For people, without credentials: `unix:///var/run/docker.sock`. */
  readonly url: string;
  readonly transport: EngineTransport;
}

export interface EndpointContext {
  readonly source: string;
  /** Material for TLS; its presence turns tcp:// into https. */
  readonly tls?: TlsMaterial;
  readonly sshAgent?: string;
}

const DEFAULT_SOCKET = '/var/run/docker.sock';
const DEFAULT_PIPE = '//./pipe/docker_engine';
/** Docker's registered ports, plain and TLS. */
const DEFAULT_PORT = 2375;
const DEFAULT_TLS_PORT = 2376;
const SCHEMES = 'unix://, npipe://, tcp://, http://, https:// and ssh://';

/**
 * Takes an endpoint apart as the docker command does: `host:port` alone means tcp, an empty path the default socket.
 * Throws an Error whose message names the source of an endpoint that cannot be understood.
 */
export function parseEndpoint(value: string, context: EndpointContext): EngineEndpoint {
  const text = value.trim();
  const split = text.indexOf('://');
  if (split < 0 && (text.startsWith('/') || text === '')) {
    throw new Error(`${context.source} names "${text}", which has no scheme; write unix://${text || DEFAULT_SOCKET}`);
  }
  const scheme = split < 0 ? 'tcp' : text.slice(0, split).toLowerCase();
  const rest = split < 0 ? text : text.slice(split + 3);
  switch (scheme) {
    case 'unix':
      return describeLocal(context.source, 'unix', { kind: 'socket', path: rest || DEFAULT_SOCKET });
    case 'npipe':
      return describeLocal(context.source, 'npipe', { kind: 'pipe', path: rest || DEFAULT_PIPE });
    case 'tcp':
    case 'http':
    case 'https':
      return parseHttp(scheme, rest, context);
    case 'ssh':
      return parseSsh(rest, context);
    default:
      throw new Error(`${context.source} names an endpoint of the unknown scheme "${scheme}"; known are ${SCHEMES}`);
  }
}

function describeLocal(source: string, scheme: string, transport: EngineTransport & { path: string }): EngineEndpoint {
  return { source, url: `${scheme}://${transport.path}`, transport };
}

function parseHttp(scheme: 'tcp' | 'http' | 'https', rest: string, context: EndpointContext): EngineEndpoint {
  const url = parseAuthority(rest, context.source, scheme);
  const tls = scheme === 'http' ? undefined : (context.tls ?? (scheme === 'https' ? { skipVerify: false } : undefined));
  const port = readPort(url) ?? (tls ? DEFAULT_TLS_PORT : DEFAULT_PORT);
  if (url.pathname.length > 1) {
    throw new Error(
      `${context.source} names a path after the port, which is not supported; write ${scheme}://host:port`,
    );
  }
  return {
    source: context.source,
    url: `${scheme}://${url.hostname}:${port}`,
    transport: { kind: 'http', host: stripBrackets(url.hostname), port, ...(tls ? { tls } : {}) },
  };
}

function parseSsh(rest: string, context: EndpointContext): EngineEndpoint {
  const url = parseAuthority(rest, context.source, 'ssh');
  if (url.password !== '') {
    throw new Error(`${context.source} holds a password; ssh:// endpoints are opened with the keys of an ssh agent`);
  }
  const username = decodeURIComponent(url.username);
  const port = readPort(url) ?? 22;
  return {
    source: context.source,
    url: `ssh://${username ? `${username}@` : ''}${url.hostname}${port === 22 ? '' : `:${port}`}`,
    transport: {
      kind: 'ssh',
      host: stripBrackets(url.hostname),
      port,
      ...(username ? { username } : {}),
      ...(context.sshAgent ? { agent: context.sshAgent } : {}),
    },
  };
}

function parseAuthority(rest: string, source: string, scheme: string): URL {
  try {
    // An unknown scheme keeps the URL parser from swallowing a default port such as http's 80.
    const url = new URL(`docker://${rest}`);
    if (url.hostname !== '') {
      return url;
    }
  } catch {
    // Told below, without the value: it may hold a password.
  }
  throw new Error(`${source} names an endpoint that is no address; write ${scheme}://host:port`);
}

function readPort(url: URL): number | undefined {
  return url.port === '' ? undefined : Number(url.port);
}

function stripBrackets(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}
