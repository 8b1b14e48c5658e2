/** The file system of a simulated container: a tree of entries by absolute path, in memory. */

export interface FileEntry {
  readonly type: 'file' | 'directory' | 'symlink';
  /** Permission bits. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** A symbolic link's contents is its target. */
  readonly contents: Buffer;
  /** Milliseconds since the epoch. */
  readonly modifiedAt: number;
}

export interface FileOptions {
  /** 0644 by default; an existing file keeps its own. */
  readonly mode?: number;
  readonly uid?: number;
  readonly gid?: number;
}

export interface FileSystem {
  /** The entry itself, or what a symbolic link at the end of the path leads to (`follow`, the default). */
  stat(path: string, options?: { readonly follow?: boolean }): FileEntry | undefined;
  read(path: string): Buffer | undefined;
  readText(path: string): string | undefined;
  /**
   * What `parse` makes of the file's text; undefined where there is no file. Remembered as long as the bytes are the
   * same, by the function itself: it has to depend on nothing else, and nobody may change what it answers.
   */
  readAs<T>(path: string, parse: (text: string) => T): T | undefined;
  /** Makes the folders above where they are missing. */
  write(path: string, contents: Uint8Array | string, options?: FileOptions): void;
  makeDirectory(path: string, options?: FileOptions): void;
  link(path: string, target: string): void;
  /** Keeps the entry as it is, and replaces what is there. Answers false where `from` does not exist. */
  rename(from: string, to: string): boolean;
  /** With everything below it. Answers whether there was one. */
  remove(path: string): boolean;
  /** Names directly inside, sorted; undefined where it is no folder. */
  list(path: string): string[] | undefined;
  /** The path and all below it, parents first; empty where there is nothing. */
  walk(path: string): { readonly path: string; readonly entry: FileEntry }[];
  /** Told of each path that was written, renamed or removed, at once. */
  onChange(listener: (path: string) => void): () => void;
}

export function createFileSystem(now: () => number): FileSystem {
  const entries = new Map<string, FileEntry>();
  const children = new Map<string, Set<string>>();
  const listeners = new Set<(path: string) => void>();
  const parsed = new WeakMap<Buffer, Map<unknown, unknown>>();
  const root: FileEntry = {
    type: 'directory',
    mode: 0o755,
    uid: 0,
    gid: 0,
    contents: Buffer.alloc(0),
    modifiedAt: now(),
  };
  entries.set('/', root);
  children.set('/', new Set());

  function put(path: string, entry: FileEntry): void {
    const parent = parentOf(path);
    if (path !== '/' && !entries.has(parent)) put(parent, { ...root, modifiedAt: now() });
    entries.set(path, entry);
    if (entry.type === 'directory' && !children.has(path)) children.set(path, new Set());
    if (path !== '/') children.get(parent)?.add(path.slice(path.lastIndexOf('/') + 1));
  }

  function drop(path: string): boolean {
    if (!entries.has(path) || path === '/') return false;
    for (const name of Array.from(children.get(path) ?? [])) drop(`${path}/${name}`);
    entries.delete(path);
    children.delete(path);
    children.get(parentOf(path))?.delete(path.slice(path.lastIndexOf('/') + 1));
    return true;
  }

  /** Links in the middle of a path are followed too: a container's /var/run leads to /run. */
  function resolve(path: string, followLast: boolean, depth = 0): string {
    if (depth > 16) return normalize(path);
    const parts = normalize(path).split('/').slice(1);
    let current = '';
    for (const [index, part] of parts.entries()) {
      if (part === '') continue;
      const next = `${current}/${part}`;
      const entry = entries.get(next);
      const isLast = index === parts.length - 1;
      if (entry?.type === 'symlink' && (!isLast || followLast)) {
        const target = entry.contents.toString('utf8');
        const base = target.startsWith('/') ? target : `${current}/${target}`;
        return resolve([base, ...parts.slice(index + 1)].join('/'), followLast, depth + 1);
      }
      current = next;
    }
    return current === '' ? '/' : current;
  }

  function tell(path: string): void {
    for (const listener of listeners) listener(path);
  }

  function make(path: string, type: FileEntry['type'], contents: Uint8Array, options: FileOptions): void {
    const old = entries.get(path);
    put(path, {
      type,
      mode: options.mode ?? old?.mode ?? (type === 'directory' ? 0o755 : 0o644),
      uid: options.uid ?? old?.uid ?? 0,
      gid: options.gid ?? old?.gid ?? 0,
      contents: Buffer.from(contents),
      modifiedAt: now(),
    });
    tell(path);
  }

  const files: FileSystem = {
    stat: (path, { follow = true } = {}) => entries.get(resolve(path, follow)),
    read(path) {
      const entry = entries.get(resolve(path, true));
      return entry?.type === 'file' ? entry.contents : undefined;
    },
    readText: (path) => files.read(path)?.toString('utf8'),
    readAs<T>(path: string, parse: (text: string) => T) {
      const contents = files.read(path);
      if (contents === undefined) return undefined;
      const known = parsed.get(contents) ?? new Map<unknown, unknown>();
      parsed.set(contents, known);
      if (!known.has(parse)) known.set(parse, parse(contents.toString('utf8')));
      return known.get(parse) as T;
    },
    write(path, contents, options = {}) {
      make(resolve(path, true), 'file', Buffer.from(contents as Uint8Array), options);
    },
    makeDirectory: (path, options = {}) => make(resolve(path, true), 'directory', Buffer.alloc(0), options),
    link: (path, target) => make(resolve(path, false), 'symlink', Buffer.from(target), { mode: 0o777 }),
    rename(from, to) {
      const [source, target] = [resolve(from, false), resolve(to, false)];
      const moved = files.walk(source);
      if (moved.length === 0 || source === '/') return false;
      drop(target);
      drop(source);
      for (const { path, entry } of moved) put(`${target}${path.slice(source.length)}`, entry);
      tell(source);
      tell(target);
      return true;
    },
    remove(path) {
      const real = resolve(path, false);
      const removed = drop(real);
      if (removed) tell(real);
      return removed;
    },
    list(path) {
      const names = children.get(resolve(path, true));
      return names === undefined ? undefined : [...names].sort();
    },
    walk(path) {
      const real = resolve(path, false);
      const entry = entries.get(real);
      if (entry === undefined) return [];
      const below = [...(children.get(real) ?? [])].sort();
      return [
        { path: real, entry },
        ...below.flatMap((name) => files.walk(real === '/' ? `/${name}` : `${real}/${name}`)),
      ];
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  return files;
}

function normalize(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}
