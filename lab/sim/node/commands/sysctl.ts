import { type Command, parseArguments } from './command.ts';

/** `sysctl [-n] [-w] KEY[=VALUE]…`; a prefix shows all keys below it. */
export const sysctl: Command = ({ args, node, print, complain }) => {
  const { options, words } = parseArguments(args);
  const settings = node.processes.sysctl;
  const show = (key: string) => print(options.has('-n') ? `${settings.get(key)}\n` : `${key} = ${settings.get(key)}\n`);
  let exitCode = 0;
  for (const word of words) {
    const [key = '', value] = word.split('=');
    const name = key.trim().replaceAll('/', '.');
    const keys = settings.has(name)
      ? [name]
      : [...settings.keys()].filter((each) => each.startsWith(`${name}.`)).sort();
    if (keys.length === 0 || (value !== undefined && !settings.has(name))) {
      complain(`sysctl: cannot stat /proc/sys/${name.replaceAll('.', '/')}: No such file or directory\n`);
      exitCode = 255;
      continue;
    }
    if (value !== undefined) settings.set(name, value.trim());
    if (!options.has('-q')) for (const each of keys) show(each);
  }
  return exitCode;
};
