import { describe, expect, test } from 'vitest';
import type { Node, NodeOperationResult } from '../../node/port.ts';
import { gatherNode, type NodeReader } from './node.ts';
import { readNode } from './node-facts.ts';

/** A control plane that has nothing but a kubelet's log. */
function makeNode(log: string): Node {
  return {
    name: 'idp-mvp-control-plane',
    perform: (operations) =>
      Promise.resolve(
        operations.map((operation): NodeOperationResult => {
          if (operation.op === 'run' && operation.argv[0] === 'journalctl')
            return { op: 'run', ok: true, exitCode: 0, stdout: Buffer.from(log), stderr: Buffer.alloc(0) };
          return { op: operation.op, ok: false, why: 'missing', reason: 'not here' };
        }),
      ),
  };
}

async function dialErrors(...lines: readonly string[]): Promise<unknown> {
  const question = {
    name: 'idp-mvp-control-plane',
    role: 'control-plane',
    running: true,
    endpointName: 'idp-mvp-control-plane',
  } as const;
  const clock = { now: () => new Date(0), monotonic: () => 0, sleep: () => Promise.resolve() };
  const never = new AbortController().signal;
  const reader = Promise.resolve<NodeReader>(readNode);
  const { facts } = await gatherNode(makeNode(lines.join('\n')), question, clock, never, reader);
  return facts.ok && facts.value.kubeletDialErrors.ok ? facts.value.kubeletDialErrors.value : facts;
}

describe("the kubelet's failed connections", () => {
  test('are told once, whatever stands behind them in the line', async () => {
    expect(
      await dialErrors(
        'E1130 "Failed to watch" err="failed to list *v1.Node: dial tcp 172.18.0.2:6443: connect: connection refused" logger="x"',
        'I1130 client.go: dial tcp 172.18.0.2:6443: connect: connection refused (attempt 3)',
        'E1130 "Post: dial tcp 172.18.0.9:6443: i/o timeout"',
      ),
    ).toEqual(['dial tcp 172.18.0.2:6443: connect: connection refused', 'dial tcp 172.18.0.9:6443: i/o timeout']);
  });

  test('a node IP that is on no interface is among them, without the quoting of the log', async () => {
    const line = String.raw`E1130 "Failed to set some node status fields" err="failed to validate nodeIP: node IP: \"172.18.0.2\" not found in the host's network interfaces" node="x"`;
    expect(await dialErrors(line)).toEqual([`node IP: "172.18.0.2" not found in the host's network interfaces`]);
  });
});
