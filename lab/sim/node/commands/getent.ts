import { resolveHost } from '../resolve.ts';
import type { Command } from './command.ts';

/** `getent ahosts|ahostsv4|ahostsv6|hosts NAME…`; exit code 2 where a name is not known. */
export const getent: Command = ({ args, node, print, complain }) => {
  const [database = '', ...names] = args;
  if (!['ahosts', 'ahostsv4', 'ahostsv6', 'hosts'].includes(database)) {
    complain(`Unknown database: ${database}\n`);
    return 1;
  }
  let exitCode = 0;
  for (const name of names) {
    const found = resolveHost(node, name);
    // Most resolvers prefer IPv6; `hosts` gives one line.
    const addresses = [
      ...(database === 'ahostsv4' ? [] : (found?.ipv6 ?? [])),
      ...(database === 'ahostsv6' ? [] : (found?.ipv4 ?? [])),
    ];
    if (addresses.length === 0) exitCode = 2;
    else if (database === 'hosts') print(`${(addresses[0] ?? '').padEnd(15)} ${name}\n`);
    else print(addresses.map((address, index) => printAddress(address, index === 0 ? name : '')).join(''));
  }
  return exitCode;
};

function printAddress(address: string, name: string): string {
  const start = address.padEnd(15);
  return `${start} STREAM ${name}\n${start} DGRAM  \n${start} RAW    \n`;
}
