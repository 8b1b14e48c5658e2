import { type Command, parseArguments, readOption } from './command.ts';

export const cat: Command = async ({ args, node, readStdin, print, complain }) => {
  const { words } = parseArguments(args);
  let exitCode = 0;
  for (const path of words.length === 0 ? ['-'] : words) {
    if (path === '-') {
      print(await readStdin());
      continue;
    }
    const contents = node.files.read(path);
    if (contents !== undefined) {
      print(contents);
      continue;
    }
    exitCode = 1;
    complain(`cat: ${path}: ${node.files.stat(path) === undefined ? 'No such file or directory' : 'Is a directory'}\n`);
  }
  return exitCode;
};

/** `grep [-E|-F] [-q] [-c] [-v] [-i] PATTERN FILE…`; basic and extended expressions are taken for JavaScript's. */
export const grep: Command = async ({ args, node, readStdin, print, complain }) => {
  const { options, words } = parseArguments(args, ['-e']);
  const flags = [...options.keys()].filter((key) => !key.startsWith('--')).join('');
  const pattern = readOption(options, '-e') ?? words[0] ?? '';
  const source = flags.includes('F') ? pattern.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`) : pattern;
  const expression = new RegExp(source, flags.includes('i') ? 'i' : '');
  const paths = options.has('-e') ? words : words.slice(1);
  let found = 0;
  let failed = false;
  for (const path of paths.length === 0 ? ['-'] : paths) {
    const text = path === '-' ? (await readStdin()).toString('utf8') : node.files.readText(path);
    if (text === undefined) {
      complain(`grep: ${path}: No such file or directory\n`);
      failed = true;
      continue;
    }
    const lines = text.replace(/\n$/, '').split('\n');
    const matching = text === '' ? [] : lines.filter((line) => expression.test(line) !== flags.includes('v'));
    found += matching.length;
    const prefix = paths.length > 1 ? `${path}:` : '';
    if (flags.includes('c')) print(`${prefix}${matching.length}\n`);
    else if (!flags.includes('q')) print(matching.map((line) => `${prefix}${line}\n`).join(''));
  }
  return failed ? 2 : found > 0 ? 0 : 1;
};

/** `test -f|-d|-e|-s|-L PATH`, and `!` in front of it. */
export const test: Command = ({ args, node }) => {
  const isNegated = args[0] === '!';
  const [kind = '', path = ''] = isNegated ? args.slice(1) : args;
  const entry = node.files.stat(path, { follow: kind !== '-L' && kind !== '-h' });
  const holds: Readonly<Record<string, boolean>> = {
    '-e': entry !== undefined,
    '-f': entry?.type === 'file',
    '-d': entry?.type === 'directory',
    '-s': (entry?.contents.length ?? 0) > 0,
    '-L': entry?.type === 'symlink',
    '-h': entry?.type === 'symlink',
    '-n': path !== '',
    '-z': path === '',
  };
  const result = holds[kind];
  if (result === undefined) return 2;
  return result === isNegated ? 1 : 0;
};
