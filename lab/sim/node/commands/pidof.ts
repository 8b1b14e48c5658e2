import { type Command, parseArguments } from './command.ts';

/** Of processes that have no part in the model the number means nothing but that they run. */
const fixedPids = { containerd: 120, kubelet: 262 } as const;

export const pidof: Command = ({ args, node, print }) => {
  const { words } = parseArguments(args);
  const pids = words.flatMap((name) => {
    if (!node.booted()) return [];
    if (name === 'etcd') return node.processes.etcdPid() ?? [];
    if (name === 'systemd') return 1;
    if (name !== 'kubelet' && name !== 'containerd') return [];
    return node.processes.unit(name).activeState === 'active' ? fixedPids[name] : [];
  });
  if (pids.length === 0) return 1;
  print(`${pids.join(' ')}\n`);
  return 0;
};
