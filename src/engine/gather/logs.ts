import { type Observed, seen, unseen } from '../../facts/observed.ts';
import type { Node, NodeOperation, NodeOperationResult } from '../../node/port.ts';
import { messageOf } from './containers.ts';

export interface NodeLog {
  readonly node: string;
  /** `kubelet`, or the static pod: `etcd`, `kube-apiserver`, … */
  readonly source: string;
  readonly text: Observed<string>;
}

const staticPods = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'];
const kubeletLines = 200;
const podLines = 100;
/** Lines may be 16 kB long; of more than this only the newest are kept. */
const largestLog = 512 * 1024;
/** Milliseconds; a log is worth less than an answer. */
const logsTimeoutMs = 20_000;

/** The tails of a node's logs, in one call. Never rejects but on abort: what could not be read carries the reason. */
export async function gatherLogs(
  node: Node,
  role: 'control-plane' | 'worker',
  signal: AbortSignal,
): Promise<NodeLog[]> {
  const sources = role === 'control-plane' ? ['kubelet', ...staticPods] : ['kubelet'];
  try {
    const results = await node.perform(sources.map(readSource), { timeoutMs: logsTimeoutMs, signal });
    return sources.map((source, place) => ({ node: node.name, source, text: readText(results[place]) }));
  } catch (error) {
    signal.throwIfAborted();
    return sources.map((source) => ({ node: node.name, source, text: unseen(messageOf(error)) }));
  }
}

/**
 * A static pod's log is read from the files that the kubelet keeps for it and not asked of crictl: that needs no id,
 * shows the attempt that failed beside the one that follows, and answers where containerd is down too.
 */
function readSource(source: string): NodeOperation {
  const argv =
    source === 'kubelet'
      ? ['journalctl', '-u', 'kubelet', '-n', String(kubeletLines), '--no-pager', '-o', 'short-iso']
      : [
          'find',
          '/var/log/pods',
          '-type',
          'f',
          '-path',
          `/var/log/pods/kube-system_${source}-*/${source}/*`,
          '-name',
          '*.log',
          '-exec',
          'tail',
          '-v',
          '-n',
          String(podLines),
          '{}',
          '+',
        ];
  return { op: 'run', argv, timeoutSeconds: 10 };
}

function readText(result: NodeOperationResult | undefined): Observed<string> {
  if (result === undefined) return unseen('not looked at');
  if (!result.ok) return unseen(result.reason);
  if (result.op !== 'run') return unseen('not looked at');
  const text = cutOld(result.stdout.toString('utf8'));
  if (text !== '') return seen(text);
  const told = result.stderr.toString('utf8').trim().split('\n').at(-1) ?? '';
  if (result.exitCode === 0) return unseen('there is no log');
  return unseen(`exit code ${result.exitCode}${told === '' ? '' : `: ${told}`}`);
}

/** Whole lines only. */
function cutOld(text: string): string {
  if (text.length <= largestLog) return text;
  const tail = text.slice(-largestLog);
  return tail.slice(tail.indexOf('\n') + 1);
}
