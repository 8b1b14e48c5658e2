import { buffer } from 'node:stream/consumers';
import { extract, pack } from 'tar-stream';
import type { FileEntry, FileSystem } from '../files.ts';
import { DockerRefusal } from './refusal.ts';

/** Go's bits for what is no plain file, as the archive's header has them. */
const GO_DIRECTORY = 2 ** 31;
const GO_SYMLINK = 2 ** 27;

/** What Docker tells of a path in the header X-Docker-Container-Path-Stat. */
export function describePath(files: FileSystem, path: string, container: string): Record<string, unknown> {
  const entry = findEntry(files, path, container);
  const kind = { file: 0, directory: GO_DIRECTORY, symlink: GO_SYMLINK }[entry.type];
  return {
    name: nameOf(path),
    size: entry.type === 'directory' ? 4096 : entry.contents.length,
    mode: kind + entry.mode,
    mtime: new Date(entry.modifiedAt).toISOString(),
    linkTarget: entry.type === 'symlink' ? entry.contents.toString('utf8') : '',
  };
}

/** The path and all below it as a tar archive, under the path's last name. */
export async function packPath(files: FileSystem, path: string, container: string): Promise<Buffer> {
  findEntry(files, path, container);
  const archive = pack();
  const bytes = buffer(archive);
  const found = files.walk(path);
  const base = found[0]?.path ?? path;
  const root = nameOf(path);
  for (const { path: each, entry } of found) {
    const below = each.slice(base === '/' ? 1 : base.length + 1);
    const name = below === '' ? root : `${root === '/' ? '' : root}/${below}`;
    packEntry(archive, name.replace(/^\/(?=.)/, ''), entry);
  }
  archive.finalize();
  return bytes;
}

function packEntry(archive: ReturnType<typeof pack>, name: string, entry: FileEntry): void {
  // The bit outside the mode is not written: it keeps the library from taking 0 for "not given".
  const header = { name, mode: entry.mode | 0o100000, uid: entry.uid, gid: entry.gid };
  const mtime = new Date(entry.modifiedAt);
  switch (entry.type) {
    case 'directory':
      archive.entry({ ...header, mtime, name: `${name.replace(/\/$/, '')}/`, type: 'directory' });
      break;
    case 'symlink':
      archive.entry({ ...header, mtime, type: 'symlink', linkname: entry.contents.toString('utf8') });
      break;
    case 'file':
      archive.entry({ ...header, mtime, type: 'file' }, entry.contents);
      break;
  }
}

/** Unpacks a tar archive below a folder that is there; modes and owners are the archive's. */
export async function unpackInto(
  files: FileSystem,
  directory: string,
  bytes: Buffer,
  container: string,
  options: { readonly keepKinds: boolean },
): Promise<void> {
  if (files.stat(directory) === undefined) throw missing(directory, container);
  if (files.list(directory) === undefined) throw new DockerRefusal(400, 'extraction point is not a directory');
  const unpack = extract();
  unpack.end(bytes);
  try {
    for await (const { header, contents } of readEntries(unpack)) {
      const path = `${directory}/${header.name}`;
      const old = files.stat(path, { follow: false });
      const isDirectory = header.type === 'directory';
      if (options.keepKinds && old !== undefined && (old.type === 'directory') !== isDirectory) {
        const kind = isDirectory ? 'non-directory' : 'directory';
        throw new DockerRefusal(400, `cannot overwrite ${kind} "${path}" with another kind of file`);
      }
      if (old !== undefined && !(isDirectory && old.type === 'directory') && old.type !== 'file') files.remove(path);
      const attributes = { mode: (header.mode ?? 0o644) & 0o7777, uid: header.uid ?? 0, gid: header.gid ?? 0 };
      if (isDirectory) files.makeDirectory(path, attributes);
      else if (header.type === 'symlink') files.link(path, header.linkname ?? '');
      else files.write(path, contents, attributes);
    }
  } catch (error) {
    if (error instanceof DockerRefusal) throw error;
    throw new DockerRefusal(
      400,
      `Error processing tar file: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

async function* readEntries(unpack: ReturnType<typeof extract>) {
  for await (const entry of unpack) yield { header: entry.header, contents: await buffer(entry) };
}

function findEntry(files: FileSystem, path: string, container: string): FileEntry {
  // With a dot or a slash at its end, a path means what a link leads to.
  const entry = files.stat(path, { follow: /\/\.?$/.test(path) });
  if (entry === undefined) throw missing(path, container);
  return entry;
}

function missing(path: string, container: string): DockerRefusal {
  return new DockerRefusal(404, `Could not find the file ${path} in container ${container}`);
}

/** `/etc/` is named `etc`, `/etc/.` is named `.`, as Docker names the root of an archive. */
function nameOf(path: string): string {
  const trimmed = path.replace(/\/+$/, '');
  return trimmed === '' ? '/' : trimmed.slice(trimmed.lastIndexOf('/') + 1);
}
