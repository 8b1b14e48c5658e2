import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { EndpointHost } from './context.ts';
import { discoverEngine } from './discover.ts';
import type { EngineEndpoint } from './endpoint.ts';
import type { EndpointAttempt, Engine } from './port.ts';
import { EngineError } from './port.ts';

/** A file's text, `socket` for a socket, or the error code its reading fails with. */
type FileContents = string | { readonly code: string };

interface Situation {
  readonly dockerHost?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, FileContents>>;
  /** Endpoints that do not answer, with the way they fail. */
  readonly failing?: Readonly<Record<string, EngineError['kind']>>;
  readonly platform?: NodeJS.Platform;
}

function createHost(situation: Situation): EndpointHost {
  const find = (path: string): string => {
    const found = situation.files?.[path];
    if (typeof found !== 'string') {
      throw Object.assign(new Error('no'), { code: found?.code ?? 'ENOENT' });
    }
    return found;
  };
  const platform = situation.platform ?? 'linux';
  return {
    files: {
      readFile: async (path) => Buffer.from(find(path)),
      stat: async (path) => {
        const kind = find(path);
        return { isSocket: () => kind === 'socket' };
      },
    },
    environment: situation.environment ?? {},
    home: platform === 'win32' ? 'C:\\Users\\ada' : '/home/ada',
    ...(platform === 'win32' ? {} : { uid: 1000 }),
    platform,
  };
}

async function discover(situation: Situation) {
  const opened: EngineEndpoint[] = [];
  const connect = async (endpoint: EngineEndpoint, options: { readonly attempts: readonly EndpointAttempt[] }) => {
    opened.push(endpoint);
    const failure = situation.failing?.[endpoint.url];
    if (failure) {
      throw new EngineError(failure, `it is ${failure}`);
    }
    return { endpoint: endpoint.url, attempts: options.attempts } as Engine;
  };
  const { dockerHost } = situation;
  const run = discoverEngine({
    host: createHost(situation),
    connect,
    ...(dockerHost === undefined ? {} : { dockerHost }),
  });
  const outcome = await run.catch((error: unknown) => error);
  return { outcome, opened };
}

async function succeed(situation: Situation) {
  const { outcome, opened } = await discover(situation);
  if (outcome instanceof Error) {
    throw outcome;
  }
  const endpoint = opened.at(-1);
  if (!endpoint) {
    throw new Error('nothing was opened');
  }
  return { endpoint, engine: outcome as Engine };
}

async function failWith(situation: Situation) {
  const { outcome, opened } = await discover(situation);
  if (!(outcome instanceof EngineError)) {
    throw new Error(`expected an EngineError, got ${String(outcome)}`);
  }
  return { error: outcome, opened };
}

function contextFiles(name: string, endpoint: object, tls: Record<string, string> = {}, folder = '/home/ada/.docker') {
  const digest = createHash('sha256').update(name).digest('hex');
  const material = Object.entries(tls).map(([file, text]) => [`${folder}/contexts/tls/${digest}/docker/${file}`, text]);
  return {
    [`${folder}/contexts/meta/${digest}/meta.json`]: JSON.stringify({ Name: name, Endpoints: { docker: endpoint } }),
    ...Object.fromEntries(material),
  };
}

const DEFAULT_SOCKET = { '/var/run/docker.sock': 'socket' } as const;

describe('the order of discovery', () => {
  const everything = {
    dockerHost: 'unix:///flag.sock',
    environment: { DOCKER_HOST: 'tcp://variable:1', DOCKER_CONTEXT: 'remote', XDG_RUNTIME_DIR: '/run/user/1000' },
    files: {
      ...DEFAULT_SOCKET,
      ...contextFiles('remote', { Host: 'tcp://context:2' }),
      '/run/user/1000/docker.sock': 'socket',
    },
  } as const;

  it.each([
    ['--docker-host', 'unix:///flag.sock', everything],
    ['DOCKER_HOST', 'tcp://variable:1', { ...everything, dockerHost: undefined }],
    [
      'docker context "remote"',
      'tcp://context:2',
      { files: everything.files, environment: { DOCKER_CONTEXT: 'remote' } },
    ],
    ['default socket', 'unix:///var/run/docker.sock', { files: everything.files }],
    [
      'rootless socket',
      'unix:///run/user/1000/docker.sock',
      { files: { '/run/user/1000/docker.sock': 'socket' }, environment: { XDG_RUNTIME_DIR: '/run/user/1000' } },
    ],
    ['rootless socket', 'unix:///run/user/1000/docker.sock', { files: { '/run/user/1000/docker.sock': 'socket' } }],
    [
      'Docker Desktop socket',
      'unix:///home/ada/.docker/run/docker.sock',
      { files: { '/home/ada/.docker/run/docker.sock': 'socket' } },
    ],
    [
      'Docker Desktop socket',
      'unix:///home/ada/.docker/desktop/docker.sock',
      { files: { '/home/ada/.docker/desktop/docker.sock': 'socket' } },
    ],
    [
      'Rancher Desktop socket',
      'unix:///home/ada/.rd/docker.sock',
      { files: { '/home/ada/.rd/docker.sock': 'socket' } },
    ],
    [
      'Colima socket',
      'unix:///home/ada/.colima/default/docker.sock',
      { files: { '/home/ada/.colima/default/docker.sock': 'socket' } },
    ],
    [
      'OrbStack socket',
      'unix:///home/ada/.orbstack/run/docker.sock',
      { files: { '/home/ada/.orbstack/run/docker.sock': 'socket' } },
    ],
    ['default pipe', 'npipe:////./pipe/docker_engine', { platform: 'win32' }],
    [
      'Docker Desktop pipe',
      'npipe:////./pipe/dockerDesktopLinuxEngine',
      { platform: 'win32', failing: { 'npipe:////./pipe/docker_engine': 'unreachable' } },
    ],
  ] as [string, string, Situation][])('takes %s (%s)', async (source, url, situation) => {
    const { endpoint, engine } = await succeed(situation);
    expect([endpoint.source, endpoint.url]).toEqual([source, url]);
    expect(engine.attempts.at(-1)).toEqual({ source, endpoint: url });
    expect(engine.attempts.slice(0, -1).every((attempt) => attempt.reason)).toBe(true);
  });

  it('says of every place why it was passed over', async () => {
    const { engine } = await succeed({
      files: {
        '/home/ada/.docker/config.json': '{"currentContext":"default"}',
        ...DEFAULT_SOCKET,
        '/run/user/1000/docker.sock': 'a folder, say',
        '/home/ada/.docker/run/docker.sock': { code: 'EACCES' },
        '/home/ada/.rd/docker.sock': 'socket',
      },
      failing: { 'unix:///var/run/docker.sock': 'unreachable' },
    });
    expect(engine.attempts).toEqual([
      { source: '--docker-host', endpoint: '', reason: 'not given' },
      { source: 'DOCKER_HOST', endpoint: '', reason: 'not set' },
      { source: 'docker context', endpoint: '', reason: '/home/ada/.docker/config.json names no context' },
      { source: 'default socket', endpoint: 'unix:///var/run/docker.sock', reason: 'it is unreachable' },
      { source: 'rootless socket', endpoint: 'unix:///run/user/1000/docker.sock', reason: 'is there but is no socket' },
      {
        source: 'Docker Desktop socket',
        endpoint: 'unix:///home/ada/.docker/run/docker.sock',
        reason: 'permission denied (EACCES)',
      },
      {
        source: 'Docker Desktop socket',
        endpoint: 'unix:///home/ada/.docker/desktop/docker.sock',
        reason: 'does not exist',
      },
      { source: 'Rancher Desktop socket', endpoint: 'unix:///home/ada/.rd/docker.sock' },
    ]);
  });
});

describe("the user's choice", () => {
  it.each([
    ['--docker-host', { dockerHost: 'unix:///mine' }],
    ['DOCKER_HOST', { environment: { DOCKER_HOST: 'unix:///mine' } }],
    [
      'docker context "mine"',
      {
        files: {
          ...contextFiles('mine', { Host: 'unix:///mine' }),
          '/home/ada/.docker/config.json': '{"currentContext":"mine"}',
        },
      },
    ],
  ] as [string, Situation][])('%s is final', async (source, situation) => {
    const { error, opened } = await failWith({
      ...situation,
      files: { ...DEFAULT_SOCKET, ...situation.files },
      failing: { 'unix:///mine': 'permission-denied' },
    });
    expect(error.kind).toBe('permission-denied');
    expect(error.message).toContain(source);
    expect(error.attempts.at(-1)).toEqual({ source, endpoint: 'unix:///mine', reason: 'it is permission-denied' });
    expect(opened).toHaveLength(1);
  });

  it.each([
    ['--docker-host', 'ftp', { dockerHost: 'ftp://somewhere' }],
    ['DOCKER_HOST', 'unix:///var/run/docker.sock', { environment: { DOCKER_HOST: '/var/run/docker.sock' } }],
    ['DOCKER_HOST', 'path after the port', { environment: { DOCKER_HOST: 'tcp://host:1/api' } }],
    ['DOCKER_HOST', 'no address', { environment: { DOCKER_HOST: 'tcp://' } }],
    ['docker context "gone"', 'docker context ls', { environment: { DOCKER_CONTEXT: 'gone' } }],
    [
      'docker context "bare"',
      'holds no docker endpoint',
      { environment: { DOCKER_CONTEXT: 'bare' }, files: contextFiles('bare', {}) },
    ],
    ['docker context', 'is not valid JSON', { files: { '/home/ada/.docker/config.json': '{ secret' } }],
    ['docker context', 'cannot be read', { files: { '/home/ada/.docker/config.json': { code: 'EACCES' } } }],
  ] as [string, string, Situation][])('%s is told to be wrong (%s)', async (source, words, situation) => {
    const { error, opened } = await failWith(situation);
    expect(error.kind).toBe('unreachable');
    expect(error.message).toContain(source);
    expect(error.message).toContain(words);
    expect(error.message).not.toContain('secret');
    expect(error.attempts.at(-1)?.reason).toContain(words);
    expect(opened).toEqual([]);
  });

  it('keeps a password out of every message', async () => {
    const { error } = await failWith({ dockerHost: 'ssh://ada:hunter2@host' });
    expect(JSON.stringify([error.message, error.attempts])).not.toContain('hunter2');
  });
});

describe('nothing found', () => {
  it('is unreachable where nothing listens', async () => {
    const { error } = await failWith({});
    expect(error.kind).toBe('unreachable');
    expect(error.attempts).toHaveLength(10);
    expect(error.attempts.every((attempt) => attempt.reason)).toBe(true);
  });

  it('is a matter of permission where one place refused', async () => {
    const { error } = await failWith({
      files: DEFAULT_SOCKET,
      failing: { 'unix:///var/run/docker.sock': 'permission-denied' },
    });
    expect(error.kind).toBe('permission-denied');
    expect(error.message).toContain('unix:///var/run/docker.sock');
  });
});

describe('what an endpoint means', () => {
  const certificates = { '/certs/ca.pem': 'CA', '/certs/cert.pem': 'CERT', '/certs/key.pem': 'KEY' };
  const verified = { DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: '/certs' };
  const tls = { ca: Buffer.from('CA'), cert: Buffer.from('CERT'), key: Buffer.from('KEY'), skipVerify: false };

  it.each([
    ['unix://', {}, { kind: 'socket', path: '/var/run/docker.sock' }],
    ['npipe://', {}, { kind: 'pipe', path: '//./pipe/docker_engine' }],
    ['tcp://host', {}, { kind: 'http', host: 'host', port: 2375 }],
    ['host:99', {}, { kind: 'http', host: 'host', port: 99 }],
    ['http://host:80/', {}, { kind: 'http', host: 'host', port: 80 }],
    ['tcp://[::1]:1', {}, { kind: 'http', host: '::1', port: 1 }],
    ['tcp://host', verified, { kind: 'http', host: 'host', port: 2376, tls }],
    ['https://host', {}, { kind: 'http', host: 'host', port: 2376, tls: { skipVerify: false } }],
    ['ssh://ada@host', {}, { kind: 'ssh', host: 'host', port: 22, username: 'ada' }],
    ['ssh://host:2222', { SSH_AUTH_SOCK: '/agent' }, { kind: 'ssh', host: 'host', port: 2222, agent: '/agent' }],
  ] as [string, Record<string, string>, object][])('%s with %o', async (dockerHost, environment, transport) => {
    const { endpoint } = await succeed({ dockerHost, environment, files: certificates });
    expect(endpoint.transport).toEqual(transport);
  });

  it("takes a context's own certificates", async () => {
    const files = contextFiles(
      'far',
      { Host: 'tcp://far:1', SkipTLSVerify: true },
      { 'ca.pem': 'CA', 'cert.pem': 'CERT', 'key.pem': 'KEY' },
      '/elsewhere',
    );
    const environment = { DOCKER_CONFIG: '/elsewhere', DOCKER_CONTEXT: 'far' };
    const { endpoint } = await succeed({ files, environment });
    const transport = { kind: 'http', host: 'far', port: 1, tls: { ...tls, skipVerify: true } };
    expect(endpoint.transport).toEqual(transport);
  });
});
