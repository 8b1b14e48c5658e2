import type { FileSystem } from '../../files.ts';
import { type Command, parseArguments, readOption } from './command.ts';

/** `sed [-i] [-e] s|FROM|TO|[g] FILE…`, one substitution; expressions are taken for JavaScript's. */
export const sed: Command = async ({ args, node, readStdin, print, complain }) => {
  const { options, words } = parseArguments(args, ['-e']);
  const script = readOption(options, '-e') ?? words[0] ?? '';
  const edit = readSubstitution(script);
  if (edit === undefined) {
    complain(`sed: -e expression #1, char 1: the simulated node knows a single s command only: ${script}\n`);
    return 1;
  }
  const paths = options.has('-e') ? words : words.slice(1);
  if (paths.length === 0) {
    print(edit((await readStdin()).toString('utf8')));
    return 0;
  }
  return paths.reduce((exitCode, path) => {
    const text = node.files.readText(path);
    if (text === undefined) {
      complain(`sed: can't read ${path}: No such file or directory\n`);
      return 2;
    }
    if (options.has('-i') || options.has('--in-place')) replaceText(node.files, path, edit(text));
    else print(edit(text));
    return exitCode;
  }, 0);
};

function replaceText(files: FileSystem, path: string, text: string): void {
  if (files.readText(path) !== text) files.write(path, text);
}

function readSubstitution(script: string): ((text: string) => string) | undefined {
  const separator = script[1] ?? '';
  const parts = script.slice(2).split(separator);
  if (script[0] !== 's' || separator === '' || parts.length !== 3) return undefined;
  const [from = '', to = '', flags = ''] = parts;
  if (!/^[gI]*$/.test(flags)) return undefined;
  const expression = new RegExp(from, `m${flags.includes('g') ? 'g' : ''}${flags.includes('I') ? 'i' : ''}`);
  return (text) =>
    text
      .split('\n')
      .map((line) => line.replace(expression, to.replaceAll('$', '$$$$').replaceAll(/\\(\d)/g, '$$$1')))
      .join('\n');
}
