import type { Command, CommandCall, NodeInside, Streams } from './command.ts';
import { etcdctl } from './etcdctl.ts';
import { carriesOperations, performOperations } from './operations.ts';
import { nameOf } from './paths.ts';
import { balancerPrograms, nodePrograms } from './programs.ts';

const programFolders = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/** The program of that name or path; undefined where the node has none. */
function findProgram(node: NodeInside, word: string): Command | undefined {
  const etcdRoot = /^\/proc\/(\d+)\/root\/usr\/local\/bin\/etcdctl$/.exec(word);
  if (etcdRoot !== null) return Number(etcdRoot[1]) === node.processes.etcdPid() ? etcdctl : undefined;
  const inPath = word.includes('/') ? programFolders.some((folder) => word === `${folder}/${nameOf(word)}`) : true;
  if (!inPath) return undefined;
  const programs = node.role === 'external-load-balancer' ? balancerPrograms : nodePrograms;
  return programs.get(nameOf(word));
}

/** Answers the exit code; 127 where there is no such program, in the words in which Docker tells it. */
export async function runProgram(node: NodeInside, argv: readonly string[], streams: Streams): Promise<number> {
  const [word = '', ...args] = argv;
  const call: CommandCall = {
    ...streams,
    args,
    node,
    hasProgram: (other) => findProgram(node, other) !== undefined,
    run: (others, otherStreams = streams) => runProgram(node, others, otherStreams),
  };
  if (carriesOperations(argv) && node.role !== 'external-load-balancer') return performOperations(argv, call);
  const program = findProgram(node, word);
  if (program !== undefined) return program(call);
  const why = word.includes('/') ? `stat ${word}: no such file or directory` : 'executable file not found in $PATH';
  call.print(
    `OCI runtime exec failed: exec failed: unable to start container process: exec: ${JSON.stringify(word)}: ${why}: unknown\r\n`,
  );
  return 127;
}
