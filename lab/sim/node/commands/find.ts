import { createHash } from 'node:crypto';
import type { FileEntry } from '../../files.ts';
import type { Command } from './command.ts';
import { nameOf } from './paths.ts';

interface Found {
  readonly path: string;
  readonly depth: number;
  readonly entry: FileEntry;
}

/** `find PATH… [-xdev] [-maxdepth N] [-type T] [-name GLOB] [-size +N] [-printf FORMAT | -exec COMMAND {} +]` */
export const find: Command = async ({ args, node, print, complain, run }) => {
  const first = args.findIndex((word) => word.startsWith('-'));
  const roots = first < 0 ? args : args.slice(0, first);
  const tests = first < 0 ? [] : args.slice(first);
  const valueOf = (name: string) => (tests.includes(name) ? tests[tests.indexOf(name) + 1] : undefined);
  const [deepest, type, name] = [valueOf('-maxdepth'), valueOf('-type'), valueOf('-name')];
  const found: Found[] = [];
  let exitCode = 0;
  for (const root of roots) {
    const tree = node.files.walk(root);
    if (tree.length === 0) {
      complain(`find: '${root}': No such file or directory\n`);
      exitCode = 1;
    }
    const start = tree[0]?.path.length ?? 0;
    for (const { path, entry } of tree) {
      const below = path.slice(start);
      found.push({ path: `${root}${below}`, depth: below.split('/').length - 1, entry });
    }
  }
  const matching = found.filter(
    ({ path, depth, entry }) =>
      (deepest === undefined || depth <= Number(deepest)) &&
      (type === undefined || type === entry.type[0]?.replace('s', 'l')) &&
      (name === undefined || matchesGlob(nameOf(path), name)) &&
      (valueOf('-size') === undefined || entry.contents.length > 0),
  );
  const command = tests.includes('-exec') ? tests.slice(tests.indexOf('-exec') + 1) : undefined;
  if (command !== undefined) {
    const end = command.indexOf('{}');
    return matching.length === 0 ? exitCode : run([...command.slice(0, end), ...matching.map(({ path }) => path)]);
  }
  const format = valueOf('-printf') ?? String.raw`%p\n`;
  for (const { path, entry } of matching)
    print(
      format
        .replaceAll(String.raw`\n`, '\n')
        .replaceAll('%m', entry.mode.toString(8))
        .replaceAll('%U', String(entry.uid))
        .replaceAll('%G', String(entry.gid))
        .replaceAll('%s', String(entry.contents.length))
        .replaceAll('%p', path),
    );
  return exitCode;
};

export const sha256sum: Command = ({ args, node, print, complain }) => {
  let exitCode = 0;
  for (const path of args) {
    const contents = node.files.read(path);
    if (contents === undefined) {
      complain(`sha256sum: ${path}: No such file or directory\n`);
      exitCode = 1;
    } else print(`${createHash('sha256').update(contents).digest('hex')}  ${path}\n`);
  }
  return exitCode;
};

function matchesGlob(name: string, glob: string): boolean {
  const escaped = glob.replace(/[.+^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`^${escaped.replaceAll('*', '.*').replaceAll('?', '.')}$`).test(name);
}
