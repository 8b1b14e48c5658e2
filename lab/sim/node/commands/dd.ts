import type { Command } from './command.ts';
import { parentOf } from './paths.ts';

/** `dd [if=FILE] of=FILE [status=none]`: an existing file keeps its mode and owner. */
export const dd: Command = async ({ args, node, readStdin, print, complain }) => {
  const operands = new Map(args.map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]));
  const [from, to] = [operands.get('if'), operands.get('of')];
  const contents = from === undefined ? await readStdin() : node.files.read(from);
  if (contents === undefined) {
    complain(`dd: failed to open '${from}': No such file or directory\n`);
    return 1;
  }
  if (to === undefined) {
    print(contents);
    return 0;
  }
  if (node.files.list(`${parentOf(to)}/`) === undefined) {
    complain(`dd: failed to open '${to}': No such file or directory\n`);
    return 1;
  }
  node.files.write(to, contents);
  if (operands.get('status') !== 'none') complain(`${contents.length} bytes copied\n`);
  return 0;
};
