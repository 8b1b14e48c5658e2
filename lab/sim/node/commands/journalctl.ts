import { type Command, parseArguments, readOption } from './command.ts';

/** `journalctl [-u UNIT] [-n N] [-o cat] [--no-pager]` */
export const journalctl: Command = ({ args, node, print }) => {
  const { options } = parseArguments(args, ['-u', '--unit', '-n', '--lines', '-o', '--output']);
  const name = readOption(options, '-u', '--unit')?.replace(/\.service$/, '');
  const known = (['kubelet', 'containerd'] as const).filter((unit) => name === undefined || unit === name);
  const lines = known.flatMap((unit) =>
    node.processes
      .journal(unit)
      .map((line) => (readOption(options, '-o', '--output') === 'cat' ? line : `${node.name} ${unit}: ${line}`)),
  );
  const count = readOption(options, '-n', '--lines');
  const shown = count === undefined ? lines : lines.slice(Math.max(0, lines.length - Number(count)));
  print(shown.length === 0 ? '-- No entries --\n' : shown.map((line) => `${line}\n`).join(''));
  return 0;
};
