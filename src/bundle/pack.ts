import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { BundleManifest } from './manifest.ts';
import type { SecretKind } from './redact/kinds.ts';
import { type FileContents, redactFiles } from './redact/redact.ts';

export interface BundleFile {
  /** Folders and name; whatever is no plain character becomes `_`. */
  readonly path: readonly string[];
  readonly what: string;
  readonly contents: FileContents;
}

/** What is to be put into a bundle, secrets and all. */
export interface BundleMaterial {
  readonly madeAt: Date;
  readonly version: string;
  readonly hostPlatform: string;
  readonly cluster: string;
  /** `facts.json` among them, or nobody can diagnose it. */
  readonly files: readonly BundleFile[];
  readonly missing: BundleManifest['missing'];
}

export interface PackedBundle {
  /** For a file: `rekindle-<cluster>-<time>.tar.gz`. */
  readonly name: string;
  readonly manifest: BundleManifest;
  /** A gzipped tar; everything in it lies in one folder. */
  readonly contents: Buffer;
}

const manifestFile = 'manifest.json';

/** Redacts everything and packs it; nothing of the answer holds a secret that the redaction knows. */
export async function packBundle(material: BundleMaterial): Promise<PackedBundle> {
  const { madeAt, version, hostPlatform } = material;
  // Names and reasons come from outside as well, so they pass the redaction with the rest.
  const index = {
    json: {
      cluster: material.cluster,
      files: material.files.map(({ path, what }) => ({ path, what })),
      missing: material.missing,
    },
  };
  const [head, ...bodies] = redactFiles([index, ...material.files.map(({ contents }) => contents)], (word) =>
    namesNode(material.cluster, word),
  );
  if (head === undefined) throw new Error('the redaction answered nothing');
  const told = (head.contents as typeof index).json;
  const paths = choosePaths(told.files.map(({ path }) => path));
  const files = bodies.map(({ contents }, place) => ({
    path: paths[place] ?? '',
    bytes: Buffer.from(serialize(contents)),
  }));
  const removed = [
    { file: manifestFile, ...head },
    ...bodies.map((body, place) => ({ ...body, file: paths[place] ?? '' })),
  ];
  const manifest: BundleManifest = {
    format: 'rekindle.bundle/v1',
    madeAt: madeAt.toISOString(),
    version,
    hostPlatform,
    cluster: told.cluster,
    files: files.map(({ path, bytes }, place) => ({ path, what: told.files[place]?.what ?? '', bytes: bytes.length })),
    missing: told.missing,
    removed: removed.flatMap(({ file, removed: kinds }) => listRemoved(file, kinds)),
  };
  const name = nameBundle(told.cluster, madeAt);
  const first = { path: manifestFile, bytes: Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`) };
  const contents = await promisify(gzip)(await writeTar(name, [first, ...files], madeAt), { level: 9 });
  return { name: `${name}.tar.gz`, manifest, contents };
}

/** The cluster, and the names that kind gives its containers; with a port and a path too. */
function namesNode(cluster: string, address: string): boolean {
  const word = address.replace(/(?::\d+)?(?:\/.*)?$/, '');
  if (cluster === '' || !word.startsWith(cluster)) return false;
  return /^(?:-(?:control-plane|worker)\d*|-external-load-balancer)?$/.test(word.slice(cluster.length));
}

function listRemoved(file: string, kinds: ReadonlyMap<SecretKind, number> | undefined): BundleManifest['removed'] {
  return [...(kinds ?? [])].map(([kind, count]) => ({ kind, file, count }));
}

function serialize(contents: FileContents): string {
  if ('text' in contents) return contents.text;
  if ('json' in contents) return `${JSON.stringify(contents.json, null, 2)}\n`;
  return contents.lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** Safe in any file system; no two are the same. */
function choosePaths(wanted: readonly (readonly string[])[]): string[] {
  const taken = new Set([manifestFile]);
  return wanted.map((segments) => {
    const path = segments.map(plainName).join('/');
    let free = path;
    for (let number = 2; taken.has(free); number++) free = `${number}-${path}`;
    taken.add(free);
    return free;
  });
}

function plainName(text: string): string {
  return (
    text
      .replace(/[^\w.-]+/g, '_')
      .replace(/^\.+/, '_')
      .slice(0, 80) || '_'
  );
}

/** `rekindle-idp-mvp-20260504-091500`, in UTC. */
function nameBundle(cluster: string, madeAt: Date): string {
  const time = madeAt.toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
  return `rekindle-${cluster === '' ? 'engine' : plainName(cluster)}-${time}`;
}

async function writeTar(
  folder: string,
  files: readonly { readonly path: string; readonly bytes: Buffer }[],
  mtime: Date,
): Promise<Buffer> {
  const { default: tar } = await import('tar-stream');
  const archive = tar.pack();
  const bytes = buffer(archive);
  for (const file of files) archive.entry({ name: `${folder}/${file.path}`, mode: 0o600, mtime }, file.bytes);
  archive.finalize();
  return await bytes;
}
