import { createHash } from 'node:crypto';
import { parse } from 'yaml';
import type { FileSystem } from '../files.ts';

export interface Probe {
  readonly host: string;
  readonly initialDelayMs: number;
  readonly periodMs: number;
  readonly failureThreshold: number;
}

export interface StaticPodManifest {
  readonly path: string;
  /** Of the contents and the node: another text is another pod. */
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: Readonly<Record<string, unknown>>;
  readonly containerName: string;
  readonly image: string;
  readonly command: readonly string[];
  readonly startupProbe: Probe | undefined;
  readonly livenessProbe: Probe | undefined;
  readonly readinessProbe: Probe | undefined;
}

interface RawProbe {
  readonly initialDelaySeconds?: number;
  readonly periodSeconds?: number;
  readonly failureThreshold?: number;
  readonly httpGet?: { readonly host?: string };
}

interface RawPod {
  readonly kind?: string;
  readonly metadata?: {
    readonly name?: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: Readonly<Record<string, unknown>> & {
    readonly containers?: readonly {
      readonly name?: string;
      readonly image?: string;
      readonly command?: readonly string[];
      readonly args?: readonly string[];
      readonly startupProbe?: RawProbe;
      readonly livenessProbe?: RawProbe;
      readonly readinessProbe?: RawProbe;
    }[];
  };
}

export interface ManifestScan {
  readonly pods: readonly StaticPodManifest[];
  /** Files that are no pod, with the kubelet's words. */
  readonly refused: readonly { readonly path: string; readonly reason: string }[];
}

/** Every file of the folder but those whose name begins with a dot, as the kubelet takes them. */
export function scanManifests(files: FileSystem, directory: string, node: string): ManifestScan {
  const pods: StaticPodManifest[] = [];
  const refused: { path: string; reason: string }[] = [];
  for (const name of files.list(directory) ?? []) {
    const path = `${directory}/${name}`;
    const text = name.startsWith('.') ? undefined : files.readText(path);
    const raw = text === undefined ? undefined : files.readAs(path, parsePod);
    if (text === undefined || raw === undefined) continue;
    const pod = typeof raw === 'string' ? raw : readManifest(path, text, raw, node);
    if (typeof pod === 'string') refused.push({ path, reason: pod });
    else pods.push(pod);
  }
  return { pods, refused };
}

function parsePod(text: string): RawPod | string {
  try {
    const value: unknown = parse(text);
    return typeof value === 'object' && value !== null ? value : "couldn't parse as pod(Object 'Kind' is missing)";
  } catch {
    return "couldn't parse as pod(yaml: could not find expected key)";
  }
}

function readManifest(path: string, text: string, raw: RawPod, node: string): StaticPodManifest | string {
  const [container] = raw.spec?.containers ?? [];
  if (raw.kind !== 'Pod') return `couldn't parse as pod(invalid pod: ${String(raw.kind)})`;
  if (raw.metadata?.name === undefined || raw.spec === undefined || container?.name === undefined) {
    return 'invalid pod: spec.containers: Required value';
  }
  return {
    path,
    uid: createHash('md5').update(node).update(text).digest('hex'),
    name: `${raw.metadata.name}-${node}`,
    namespace: raw.metadata.namespace ?? 'default',
    labels: raw.metadata.labels ?? {},
    annotations: raw.metadata.annotations ?? {},
    spec: raw.spec,
    containerName: container.name,
    image: container.image ?? '',
    command: [...(container.command ?? []), ...(container.args ?? [])],
    startupProbe: readProbe(container.startupProbe),
    livenessProbe: readProbe(container.livenessProbe),
    readinessProbe: readProbe(container.readinessProbe),
  };
}

function readProbe(probe: RawProbe | undefined): Probe | undefined {
  if (probe === undefined) return undefined;
  return {
    host: probe.httpGet?.host ?? '',
    initialDelayMs: (probe.initialDelaySeconds ?? 0) * 1000,
    periodMs: (probe.periodSeconds ?? 10) * 1000,
    failureThreshold: probe.failureThreshold ?? 3,
  };
}

/** The value of `--flag=value`; undefined where the command has none. */
export function readFlag(command: readonly string[], flag: string): string | undefined {
  return command.find((word) => word.startsWith(`--${flag}=`))?.slice(flag.length + 3);
}
