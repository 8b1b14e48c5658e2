import { createHash } from 'node:crypto';
import { posix, win32 } from 'node:path';
import type { TlsMaterial } from './endpoint.ts';

/** The part of node:fs/promises that discovery reads through. */
export interface EndpointFiles {
  readFile(path: string): Promise<Buffer>;
  stat(path: string): Promise<{ isSocket(): boolean }>;
}

/** What discovery knows of the machine it runs on. */
export interface EndpointHost {
  readonly files: EndpointFiles;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** The user's number; absent on Windows. */
  readonly uid?: number;
  readonly platform: NodeJS.Platform;
}

export interface DockerContext {
  readonly name: string;
  readonly host: string;
  readonly tls?: TlsMaterial;
}

/** The name of the chosen context and who chose it, or the reason why there is none. */
export type ContextChoice =
  | { readonly chosen: true; readonly name: string; readonly by: string }
  | { readonly chosen: false; readonly reason: string };

/** The docker command's own order: DOCKER_CONTEXT, then `currentContext` of its config.json. */
export async function chooseContext(host: EndpointHost): Promise<ContextChoice> {
  const named = host.environment['DOCKER_CONTEXT'];
  if (named) {
    return named === 'default'
      ? { chosen: false, reason: 'DOCKER_CONTEXT is "default"' }
      : { chosen: true, name: named, by: 'DOCKER_CONTEXT' };
  }
  const file = joinPath(host, configFolder(host), 'config.json');
  const text = await readOptional(host.files, file);
  if (text === undefined) {
    return { chosen: false, reason: `${file} does not exist` };
  }
  const current = readField(parseJson(text, file), 'currentContext');
  if (typeof current !== 'string' || current === '' || current === 'default') {
    return { chosen: false, reason: `${file} names no context` };
  }
  return { chosen: true, name: current, by: file };
}

/**
 * Reads a context's endpoint and TLS material from where the docker command keeps them:
 * contexts/meta/<sha256 of the name>/meta.json and contexts/tls/<sha256>/docker.
 */
export async function readContext(host: EndpointHost, name: string): Promise<DockerContext> {
  const folder = joinPath(host, configFolder(host), 'contexts');
  const digest = createHash('sha256').update(name).digest('hex');
  const file = joinPath(host, folder, 'meta', digest, 'meta.json');
  const text = await readOptional(host.files, file);
  if (text === undefined) {
    throw new Error(`docker has no context of this name (${file} does not exist); see \`docker context ls\``);
  }
  const endpoint = readField(readField(parseJson(text, file), 'Endpoints'), 'docker');
  const address = readField(endpoint, 'Host');
  if (typeof address !== 'string' || address === '') {
    throw new Error(`${file} holds no docker endpoint`);
  }
  const skipVerify = readField(endpoint, 'SkipTLSVerify') === true;
  const material = await readTlsFolder(host, joinPath(host, folder, 'tls', digest, 'docker'));
  const tls = material ?? (skipVerify ? {} : undefined);
  return { name, host: address, ...(tls ? { tls: { ...tls, skipVerify } } : {}) };
}

/** TLS material as DOCKER_TLS_VERIFY and DOCKER_CERT_PATH ask for it; any value but the empty one counts as set. */
export async function readEnvironmentTls(host: EndpointHost): Promise<TlsMaterial | undefined> {
  if (!host.environment['DOCKER_TLS_VERIFY']) {
    return undefined;
  }
  const folder = host.environment['DOCKER_CERT_PATH'] || configFolder(host);
  return { ...(await readTlsFolder(host, folder)), skipVerify: false };
}

export function joinPath(host: EndpointHost, ...parts: string[]): string {
  return (host.platform === 'win32' ? win32 : posix).join(...parts);
}

export function configFolder(host: EndpointHost): string {
  return host.environment['DOCKER_CONFIG'] || joinPath(host, host.home, '.docker');
}

async function readTlsFolder(host: EndpointHost, folder: string): Promise<Omit<TlsMaterial, 'skipVerify'> | undefined> {
  const [ca, cert, key] = await Promise.all(
    ['ca.pem', 'cert.pem', 'key.pem'].map((name) => readOptional(host.files, joinPath(host, folder, name))),
  );
  if (!ca && !cert && !key) {
    return undefined;
  }
  return { ...(ca ? { ca } : {}), ...(cert ? { cert } : {}), ...(key ? { key } : {}) };
}

async function readOptional(files: EndpointFiles, path: string): Promise<Buffer | undefined> {
  try {
    return await files.readFile(path);
  } catch (error) {
    const code = readField(error, 'code');
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      return undefined;
    }
    throw new Error(`${path} cannot be read (${String(code ?? error)})`, { cause: error });
  }
}

function parseJson(bytes: Buffer, file: string): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    // The parser's own message quotes the text, and config.json may hold registry credentials.
    throw new Error(`${file} is not valid JSON`);
  }
}

function readField(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
