import { describe, expect, it } from 'vitest';
import type { ClusterNode } from './cluster.ts';
import { explainUnwell, type ReportedNode } from './waiting.ts';

const startedAt = Date.parse('2026-01-01T10:00:00Z');
const now = startedAt + 60_000;
const node: ClusterNode = {
  cluster: 'demo',
  name: 'demo-worker',
  role: 'worker',
  running: true,
  address: '172.18.0.3',
  startedAt,
};
const report: ReportedNode = {
  name: 'demo-worker',
  ready: true,
  internalAddress: '172.18.0.3',
  renewedAt: now - 5000,
};

describe('explainUnwell', () => {
  it('finds nothing where a node is Ready at its address and was heard of lately', () => {
    expect(explainUnwell([node], [report], now)).toBeUndefined();
  });

  it.each<[string, ClusterNode, ReportedNode[], number]>([
    ['does not run', { ...node, running: false }, [report], 0],
    ['is not known to the API', node, [], 0],
    ['is not Ready', node, [{ ...report, ready: false }], 0],
    ['is reported at 172.18.0.9', node, [{ ...report, internalAddress: '172.18.0.9' }], 0],
    ['was not heard of', node, [{ ...report, renewedAt: startedAt - 1 }], 0],
    ['was not heard of', { ...node, startedAt: 0 }, [{ ...report, renewedAt: now - 50_000 }], 0],
    ['was not heard of', node, [report], now - 1000],
  ])('tells that a node %s', (reason, container, reported, since) => {
    expect(explainUnwell([container], reported, now, since)).toContain(reason);
  });
});
