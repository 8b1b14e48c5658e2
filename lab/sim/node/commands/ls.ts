import type { FileEntry, FileSystem } from '../../files.ts';
import { type Command, parseArguments, readOption } from './command.ts';

/** `ls [-l] [-a] [-1] [-R] [-d] PATH…` */
export const ls: Command = ({ args, node, print, complain }) => {
  const { options, words } = parseArguments(args);
  const flags = [...options.keys()].join('');
  const paths = words.length === 0 ? ['/'] : words;
  let exitCode = 0;
  const show = (path: string, withTitle: boolean): void => {
    const names = node.files.list(path);
    if (names === undefined || flags.includes('d')) {
      const entry = node.files.stat(path, { follow: false });
      if (entry === undefined) {
        complain(`ls: cannot access '${path}': No such file or directory\n`);
        exitCode = 2;
      } else print(flags.includes('l') ? describe(node.files, path, path) : `${path}\n`);
      return;
    }
    const shown = flags.includes('a') ? ['.', '..', ...names] : names.filter((name) => !name.startsWith('.'));
    if (withTitle) print(`${path}:\n`);
    if (flags.includes('l')) print(`total ${shown.length * 4}\n`);
    const join = (name: string) => `${path.replace(/\/$/, '')}/${name}`;
    for (const name of shown) print(flags.includes('l') ? describe(node.files, join(name), name) : `${name}\n`);
    if (!flags.includes('R')) return;
    for (const name of names.filter((each) => node.files.stat(join(each), { follow: false })?.type === 'directory')) {
      print('\n');
      show(join(name), true);
    }
  };
  for (const [index, path] of paths.entries()) {
    if (index > 0) print('\n');
    show(path, paths.length > 1 || flags.includes('R'));
  }
  return exitCode;
};

/** `stat -c FORMAT PATH…` with %a %f %g %n %s %u %U %G %F %Y. */
export const stat: Command = ({ args, node, print, complain }) => {
  const { options, words } = parseArguments(args, ['-c', '--format', '--printf']);
  const printed = readOption(options, '--printf');
  const format =
    printed ??
    readOption(options, '-c', '--format') ??
    '  File: %n\n  Size: %s\t%F\nAccess: (%a/%A)  Uid: (%u/%U)   Gid: (%g/%G)';
  let exitCode = 0;
  for (const path of words) {
    const entry = node.files.stat(path, { follow: options.has('-L') });
    if (entry === undefined) {
      complain(`stat: cannot statx '${path}': No such file or directory\n`);
      exitCode = 1;
      continue;
    }
    const text = format.replaceAll(/%([a-zA-Z])/g, (_, letter: string) => expand(letter, path, entry));
    print(printed === undefined ? `${text}\n` : text.replaceAll(String.raw`\n`, '\n').replaceAll(String.raw`\0`, '\0'));
  }
  return exitCode;
};

const typeNames = { file: 'regular file', directory: 'directory', symlink: 'symbolic link' };

function expand(letter: string, path: string, entry: FileEntry): string {
  const values: Readonly<Record<string, string>> = {
    a: entry.mode.toString(8),
    A: printMode(entry),
    F: typeNames[entry.type],
    g: String(entry.gid),
    G: nameOwner(entry.gid),
    n: path,
    s: String(sizeOf(entry)),
    u: String(entry.uid),
    U: nameOwner(entry.uid),
    Y: String(Math.floor(entry.modifiedAt / 1000)),
  };
  return values[letter] ?? '?';
}

function describe(files: FileSystem, path: string, name: string): string {
  const entry = files.stat(path, { follow: false });
  if (entry === undefined) return '';
  const date = new Date(entry.modifiedAt).toUTCString();
  const [, day = '', month = '', , time = ''] = date.split(' ');
  const target = entry.type === 'symlink' ? ` -> ${entry.contents.toString('utf8')}` : '';
  const owner = `${nameOwner(entry.uid)} ${nameOwner(entry.gid)}`;
  const when = `${month} ${String(Number(day)).padStart(2)} ${time.slice(0, 5)}`;
  return `${printMode(entry)} 1 ${owner} ${String(sizeOf(entry)).padStart(5)} ${when} ${name}${target}\n`;
}

function printMode({ type, mode }: FileEntry): string {
  const bits = Array.from({ length: 9 }, (_, place) => 'rwx'[place % 3])
    .map((letter, place) => ((mode >> (8 - place)) & 1 ? letter : '-'))
    .join('');
  return `${{ file: '-', directory: 'd', symlink: 'l' }[type]}${bits}`;
}

function nameOwner(id: number): string {
  return id === 0 ? 'root' : String(id);
}

function sizeOf(entry: FileEntry): number {
  return entry.type === 'directory' ? 4096 : entry.contents.length;
}
