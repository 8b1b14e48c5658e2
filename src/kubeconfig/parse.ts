import {
  isRecord,
  type KubeconfigDocument,
  type KubeconfigFailure,
  readDocument,
  type Section,
  VALUE_KEYS,
} from './document.ts';

/** A kubeconfig without its secrets: no keys, no tokens, no passwords. */
export interface Kubeconfig {
  readonly clusters: readonly KubeconfigCluster[];
  readonly contexts: readonly KubeconfigContext[];
  readonly users: readonly KubeconfigUser[];
  /** Empty where none is set. */
  readonly currentContext: string;
}

export interface KubeconfigCluster {
  readonly name: string;
  readonly server: string;
  /** PEM in base64, public. */
  readonly certificateAuthorityData?: string;
  readonly certificateAuthorityFile?: string;
  readonly tlsServerName?: string;
}

export interface KubeconfigContext {
  readonly name: string;
  readonly cluster: string;
  readonly user: string;
  readonly namespace?: string;
}

export interface KubeconfigUser {
  readonly name: string;
  /** PEM in base64, public. */
  readonly clientCertificateData?: string;
  readonly clientCertificateFile?: string;
}

export type ParsedKubeconfig = { readonly ok: true; readonly value: Kubeconfig } | KubeconfigFailure;

/** Unknown fields, missing and `null` sections are let through; of entries with one name the first is taken. */
export function parseKubeconfig(text: string): ParsedKubeconfig {
  const document = readDocument(text);
  return document.ok ? { ok: true, value: readKubeconfig(document) } : document;
}

/** As `parseKubeconfig`, of a file that has been read. */
export function readKubeconfig({ value }: KubeconfigDocument): Kubeconfig {
  return {
    clusters: readEntries(value, 'clusters').map(({ name, values }) => ({
      name,
      server: readText(values, 'server') ?? '',
      ...optional('certificateAuthorityData', readText(values, 'certificate-authority-data')),
      ...optional('certificateAuthorityFile', readText(values, 'certificate-authority')),
      ...optional('tlsServerName', readText(values, 'tls-server-name')),
    })),
    contexts: readEntries(value, 'contexts').map(({ name, values }) => ({
      name,
      cluster: readText(values, 'cluster') ?? '',
      user: readText(values, 'user') ?? '',
      ...optional('namespace', readText(values, 'namespace')),
    })),
    users: readEntries(value, 'users').map(({ name, values }) => ({
      name,
      ...optional('clientCertificateData', readText(values, 'client-certificate-data')),
      ...optional('clientCertificateFile', readText(values, 'client-certificate')),
    })),
    currentContext: readText(value, 'current-context') ?? '',
  };
}

export interface RawEntry {
  readonly name: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** A section's entries with all their fields, secrets too: for use in memory only. */
export function readEntries(value: Readonly<Record<string, unknown>>, section: Section): RawEntry[] {
  const items: unknown = value[section];
  const entries = new Map<string, RawEntry>();
  for (const item of Array.isArray(items) ? items.filter(isRecord) : []) {
    const name = readText(item, 'name') ?? '';
    const values = item[VALUE_KEYS[section]];
    if (!entries.has(name)) entries.set(name, { name, values: isRecord(values) ? values : {} });
  }
  return [...entries.values()];
}

/** Undefined for what is missing, null or empty: kubectl makes no difference either. */
export function readText(record: Readonly<Record<string, unknown>>, key: string): string | undefined {
  const value = record[key];
  if (typeof value === 'string') return value === '' ? undefined : value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

function optional<K extends string>(key: K, value: string | undefined): { readonly [P in K]?: string } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]: string });
}
