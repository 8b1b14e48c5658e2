import { parse } from 'yaml';
import { splitBundle } from '../../../src/pki/certificates.ts';
import type { FileSystem } from '../files.ts';

/** What a program of a node keeps of its kubeconfig from its start on. */
export interface Connection {
  readonly server: string;
  /** Without brackets. */
  readonly host: string;
  readonly port: number;
  readonly authorityPem: string;
  readonly clientCertificatePem: string | undefined;
}

interface Kubeconfig {
  readonly clusters?: readonly { readonly name?: string; readonly cluster?: Readonly<Record<string, string>> }[];
  readonly contexts?: readonly { readonly name?: string; readonly context?: Readonly<Record<string, string>> }[];
  readonly users?: readonly { readonly name?: string; readonly user?: Readonly<Record<string, string>> }[];
  readonly 'current-context'?: string;
}

/** Reads the current context of a kubeconfig in a node, and the certificate files that it names. */
export function readConnection(
  files: FileSystem,
  path: string,
): { readonly ok: true; readonly value: Connection } | { readonly ok: false; readonly reason: string } {
  if (files.read(path) === undefined) return { ok: false, reason: `stat ${path}: no such file or directory` };
  const config = files.readAs(path, parseKubeconfig);
  if (config === undefined) return { ok: false, reason: `error loading config file "${path}": yaml: cannot unmarshal` };
  const context = config.contexts?.find(({ name }) => name === config['current-context'])?.context;
  const cluster = config.clusters?.find(({ name }) => name === context?.['cluster'])?.cluster;
  const user = config.users?.find(({ name }) => name === context?.['user'])?.user;
  const server = cluster?.['server'];
  if (server === undefined || !URL.canParse(server)) {
    return { ok: false, reason: 'invalid configuration: no configuration has been provided' };
  }
  const url = new URL(server);
  return {
    ok: true,
    value: {
      server: server.replace(/\/$/, ''),
      host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: url.port === '' ? 443 : Number(url.port),
      authorityPem: readPem(files, cluster, 'certificate-authority') ?? '',
      clientCertificatePem: readPem(files, user, 'client-certificate'),
    },
  };
}

function parseKubeconfig(text: string): Kubeconfig | undefined {
  try {
    const value: unknown = parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function readPem(
  files: FileSystem,
  entry: Readonly<Record<string, string>> | undefined,
  key: string,
): string | undefined {
  const data = entry?.[`${key}-data`];
  const path = entry?.[key];
  const text = data === undefined ? (path === undefined ? undefined : files.readText(path)) : decode(data);
  return text === undefined ? undefined : splitBundle(text)[0];
}

function decode(data: string): string {
  return Buffer.from(data, 'base64').toString('latin1');
}
