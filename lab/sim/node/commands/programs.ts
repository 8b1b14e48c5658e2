import type { Command } from './command.ts';
import { crictl } from './crictl.ts';
import { curl } from './curl.ts';
import { date } from './date.ts';
import { dd } from './dd.ts';
import { find, sha256sum } from './find.ts';
import { getent } from './getent.ts';
import { ip } from './ip.ts';
import { journalctl } from './journalctl.ts';
import { kubeadm } from './kubeadm.ts';
import { kubectl } from './kubectl.ts';
import { ls, stat } from './ls.ts';
import { copy, makeDirectories, move, remove } from './move.ts';
import { openssl } from './openssl.ts';
import { pidof } from './pidof.ts';
import { sed } from './sed.ts';
import { shell } from './shell.ts';
import { sysctl } from './sysctl.ts';
import { systemctl } from './systemctl.ts';
import { cat, grep, test } from './text.ts';

const everywhere: [string, Command][] = [
  ['bash', shell],
  ['cat', cat],
  ['cp', copy],
  ['date', date],
  ['dd', dd],
  [
    'echo',
    ({ args, print }) => {
      print(`${args.join(' ')}\n`);
      return 0;
    },
  ],
  ['false', () => 1],
  ['find', find],
  ['getent', getent],
  ['grep', grep],
  [
    'hostname',
    ({ node, print }) => {
      print(`${node.name}\n`);
      return 0;
    },
  ],
  ['ls', ls],
  ['mkdir', makeDirectories],
  ['mv', move],
  ['rm', remove],
  ['sed', sed],
  ['sh', shell],
  ['sha256sum', sha256sum],
  ['stat', stat],
  ['sync', () => 0],
  ['test', test],
  ['true', () => 0],
];

export const balancerPrograms: ReadonlyMap<string, Command> = new Map(everywhere);

export const nodePrograms: ReadonlyMap<string, Command> = new Map<string, Command>([
  ...everywhere,
  ['crictl', crictl],
  ['curl', curl],
  ['ip', ip],
  // No rules of anybody's are kept yet.
  ['iptables-save', () => 0],
  ['journalctl', journalctl],
  ['kubeadm', kubeadm],
  ['kubectl', kubectl],
  ['openssl', openssl],
  ['pidof', pidof],
  ['sysctl', sysctl],
  ['systemctl', systemctl],
]);
