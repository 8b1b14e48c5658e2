import type { Command } from './command.ts';

/** `sh -c` for what needs no shell: `exit N`, or one command of plain and quoted words. */
export const shell: Command = ({ args, run, complain }) => {
  const script = args[0] === '-c' ? (args[1] ?? '').trim().replace(/^exec /, '') : undefined;
  const exit = /^exit (\d+)$/.exec(script ?? '');
  if (exit !== null) return Number(exit[1]) & 0xff;
  const words = script === undefined ? undefined : splitWords(script);
  if (words !== undefined && words.length > 0) return run(words);
  complain(`the simulated node has no shell: it runs single commands only, not ${JSON.stringify(args.join(' '))}\n`);
  return 127;
};

/** Undefined where a shell would do more than split: variables, pipes, redirections, patterns. */
function splitWords(script: string): string[] | undefined {
  const words: string[] = [];
  let rest = script;
  while (rest !== '') {
    const match = /^((?:[^\s'"$`|&;<>()*?[\]{}\\~#!]|'[^']*'|"[^"$`\\]*")+)(?:\s+|$)/.exec(rest);
    if (match === null) return undefined;
    words.push(
      (match[1] ?? '').replaceAll(/'([^']*)'|"([^"]*)"/g, (_, one?: string, two?: string) => one ?? two ?? ''),
    );
    rest = rest.slice(match[0].length);
  }
  return words;
}
