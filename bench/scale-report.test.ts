import { describe, expect, it } from 'vitest';
import { judgeScale, type Look, renderScale, type Size } from './scale-report.ts';

function makeSizes(look: (nodes: number) => Partial<Look>): Size[] {
  return [3, 10, 30, 100].map((nodes) => {
    const linear = {
      wallMs: 200 + 10 * nodes,
      cpuMs: 180 + 9 * nodes,
      residentMegabytes: 70 + nodes / 10,
      dockerCalls: 5 + 4 * nodes,
      execs: nodes,
      apiCalls: 3,
    };
    return { nodes, pods: 100 * nodes, looks: [linear, { ...linear, ...look(nodes) }] };
  });
}

const broken = (sizes: readonly Size[]) => judgeScale(sizes).rules.flatMap(({ holds, what }) => (holds ? [] : [what]));

describe('the judgement of growth', () => {
  it('is content with what grows with the nodes', () => {
    expect(broken(makeSizes(() => ({})))).toEqual([]);
  });

  it.each([
    ['a second exec for some nodes', (nodes: number) => ({ execs: nodes + 1 }), 'one exec for each node'],
    ['API lists by the node', (nodes: number) => ({ apiCalls: nodes }), 'as many API calls'],
    ['Docker calls by the pair of nodes', (nodes: number) => ({ dockerCalls: nodes * nodes }), 'as many Docker calls'],
    ['time by the pair of nodes', (nodes: number) => ({ wallMs: 1_000 + 10 * nodes * nodes }), 'time for each'],
    ['processor time likewise', (nodes: number) => ({ cpuMs: 1_000 + 10 * nodes * nodes }), 'processor time'],
    ['too much memory', () => ({ residentMegabytes: 301 }), 'under 300 MB'],
  ])('refuses %s', (_what, look, rule) => {
    expect(broken(makeSizes(look)).some((what) => what.startsWith(rule))).toBe(true);
  });

  it('says what does not hold', () => {
    const text = renderScale(judgeScale(makeSizes((nodes) => ({ apiCalls: nodes }))));
    expect(text).toContain('BROKEN  as many API calls');
    expect(text).toContain('holds   under 300 MB: 80 MB');
  });
});
