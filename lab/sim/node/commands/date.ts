import type { Command } from './command.ts';

/** `date [-u] [+FORMAT]` in UTC, which is what nodes have. */
export const date: Command = ({ args, node, print }) => {
  const format = args.find((word) => word.startsWith('+'))?.slice(1) ?? '%a %b %e %H:%M:%S UTC %Y';
  print(`${formatTime(format, node.clock.now())}\n`);
  return 0;
};

/** strftime's letters, and `%3N` for milliseconds. */
export function formatTime(format: string, milliseconds: number): string {
  const time = new Date(milliseconds);
  const iso = time.toISOString();
  const [weekday = '', , month = ''] = time.toUTCString().replace(',', '').split(' ');
  const values: Readonly<Record<string, string>> = {
    a: weekday,
    b: month,
    d: iso.slice(8, 10),
    e: String(time.getUTCDate()).padStart(2),
    F: iso.slice(0, 10),
    H: iso.slice(11, 13),
    m: iso.slice(5, 7),
    M: iso.slice(14, 16),
    '3N': iso.slice(20, 23),
    N: `${iso.slice(20, 23)}000000`,
    s: String(Math.floor(milliseconds / 1000)),
    S: iso.slice(17, 19),
    T: iso.slice(11, 19),
    Y: iso.slice(0, 4),
    z: '+0000',
    Z: 'UTC',
  };
  return format.replaceAll(/%(3N|[a-zA-Z])/g, (whole, key: string) => values[key] ?? whole);
}
