import type { FileSystem } from '../../files.ts';
import { type Command, parseArguments, readOption } from './command.ts';
import { isMountedFile, nameOf, parentOf } from './paths.ts';

/** `cp [--preserve=all|-a|-p] [-r] FROM… TO` */
export const copy: Command = ({ args, node, complain }) => {
  const { options, words } = parseArguments(args);
  const keeps = ['--preserve', '-a', '-p', '-ap'].some((option) => options.has(option));
  const recursive = ['-r', '-R', '-a', '--recursive', '-ap'].some((option) => options.has(option));
  const { files } = node;
  return each('cp', words, files, complain, (from, to) => {
    const tree = files.walk(from);
    if (tree[0]?.entry.type === 'directory' && !recursive) return `-r not specified; omitting directory '${from}'`;
    if (files.list(parentOf(to) === '' ? '/' : parentOf(to)) === undefined)
      return `cannot create regular file '${to}': No such file or directory`;
    for (const { path, entry } of tree) {
      // A link itself is copied only where everything is to be kept.
      const source = entry.type === 'symlink' && !keeps ? files.stat(path) : entry;
      const target = `${to}${path.slice(tree[0]?.path.length ?? 0)}`;
      if (source?.type === 'directory') files.makeDirectory(target, { mode: source.mode });
      else if (source?.type === 'symlink') files.link(target, source.contents.toString('utf8'));
      else if (source !== undefined)
        files.write(target, source.contents, {
          ...(keeps ? { mode: source.mode, uid: source.uid, gid: source.gid } : {}),
          ...(!keeps && files.stat(target) === undefined ? { mode: source.mode & ~0o022 } : {}),
        });
    }
    return undefined;
  });
};

/** `mv [-f|-T] FROM… TO` */
export const move: Command = ({ args, node, complain }) => {
  const { files } = node;
  return each('mv', parseArguments(args).words, files, complain, (from, to) => {
    if (isMountedFile(to) || isMountedFile(from)) return `cannot move '${from}' to '${to}': Device or resource busy`;
    if (files.list(parentOf(to) === '' ? '/' : parentOf(to)) === undefined)
      return `cannot move '${from}' to '${to}': No such file or directory`;
    // From one file system to another it is a copy and a removal, which nobody can tell apart here.
    files.rename(from, to);
    return undefined;
  });
};

export const remove: Command = ({ args, node, complain }) => {
  const { options, words } = parseArguments(args);
  const flags = [...options.keys()].join('');
  const isForced = flags.includes('f') || flags.includes('--force');
  const isRecursive = /r|R/.test(flags.replaceAll('--force', ''));
  let exitCode = 0;
  const fail = (path: string, reason: string) => {
    exitCode = 1;
    complain(`rm: cannot remove '${path}': ${reason}\n`);
  };
  for (const path of words) {
    const entry = node.files.stat(path, { follow: false });
    if (entry === undefined) {
      if (!isForced) fail(path, 'No such file or directory');
    } else if (entry.type === 'directory' && !isRecursive) fail(path, 'Is a directory');
    else if (isMountedFile(path)) fail(path, 'Device or resource busy');
    else node.files.remove(path);
  }
  return exitCode;
};

/** `mkdir [-p] [-m MODE] FOLDER…` */
export const makeDirectories: Command = ({ args, node, complain }) => {
  const { options, words } = parseArguments(args, ['-m', '--mode']);
  const mode = readOption(options, '-m', '--mode');
  const withParents = [...options.keys()].some((key) => key === '--parents' || /^-[^-]*p/.test(key));
  let exitCode = 0;
  for (const path of words) {
    const refusal = withParents
      ? undefined
      : node.files.stat(path) !== undefined
        ? 'File exists'
        : node.files.list(parentOf(path) === '' ? '/' : parentOf(path)) === undefined
          ? 'No such file or directory'
          : undefined;
    if (refusal !== undefined) {
      complain(`mkdir: cannot create directory '${path}': ${refusal}\n`);
      exitCode = 1;
    } else if (node.files.list(path) === undefined)
      node.files.makeDirectory(path, mode === undefined ? {} : { mode: Number.parseInt(mode, 8) });
  }
  return exitCode;
};

/** Sources and their target, a folder's name completed; the reason of a failure is answered by `act`. */
function each(
  command: string,
  words: readonly string[],
  files: FileSystem,
  complain: (text: string) => void,
  act: (from: string, to: string) => string | undefined,
): number {
  const target = words.at(-1);
  if (target === undefined || words.length < 2) {
    complain(`${command}: missing file operand\n`);
    return 1;
  }
  let exitCode = 0;
  for (const from of words.slice(0, -1)) {
    const isFolder = files.list(target) !== undefined;
    const to = isFolder ? `${target.replace(/\/$/, '')}/${nameOf(from)}` : target;
    const reason =
      files.stat(from, { follow: false }) === undefined
        ? `cannot stat '${from}': No such file or directory`
        : act(from, to);
    if (reason === undefined) continue;
    complain(`${command}: ${reason}\n`);
    exitCode = 1;
  }
  return exitCode;
}
