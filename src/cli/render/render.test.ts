import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Finding } from '../../engine/diagnosis.ts';
import { makeCrashed, makeCrashPlan } from '../testing/samples.ts';
import { countFindings, describeFindings } from './diagnosis.ts';
import { type Look, makePalette } from './look.ts';
import { describeMarkdown } from './markdown.ts';
import { describePlan } from './plan.ts';
import { type FindingTree, growTrees } from './tree.ts';

const look: Look = { palette: makePalette(false), width: 60, verbose: false, program: 'rekindle' };
const [sample] = makeCrashed().findings;

function makeFinding(id: string, cause: string | null): Finding {
  if (sample === undefined) throw new Error('the sample has no finding');
  return {
    ...sample,
    id,
    subject: 'node',
    summary: `about ${id}`,
    cause: cause === null ? null : { id: cause, subject: 'node' },
  };
}

describe('causes and consequences', () => {
  test('every finding stands in the trees exactly once, whatever the causes say', () => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'gone'];
    const findings = fc.uniqueArray(fc.tuple(fc.constantFrom(...ids.slice(0, 5)), fc.option(fc.constantFrom(...ids))), {
      selector: ([id]) => id,
    });
    fc.assert(
      fc.property(findings, (pairs) => {
        const all = pairs.map(([id, cause]) => makeFinding(id, cause));
        const collect = (tree: FindingTree): Finding[] => [tree.finding, ...tree.consequences.flatMap(collect)];
        const placed = growTrees(all).flatMap(collect);
        expect(placed.map(({ id }) => id).toSorted()).toEqual(all.map(({ id }) => id).toSorted());
      }),
    );
  });

  test('many consequences are folded into a count, and shown when asked for', () => {
    const findings = [
      makeFinding('cause', null),
      ...Array.from({ length: 9 }, (_, i) => makeFinding(`after-${i}`, 'cause')),
    ];
    const diagnosis = { ...makeCrashed(), findings };
    const folded = describeFindings(diagnosis, look).join('\n');
    expect(folded).toContain('└ and 5 more that follow from it (-v shows them)');
    expect(folded).not.toContain('after-5');
    expect(describeFindings(diagnosis, { ...look, verbose: true }).join('\n')).toContain('after-8');
    expect(countFindings(findings)).toBe('1 cause with 9 consequences');
  });
});

test('a plan leaves out what goes with its cause, and tells what a person has to do', () => {
  const plan = {
    steps: makeCrashPlan().steps,
    unserved: [
      { id: 'nodes/not-ready', subject: 'n', reason: 'follows from node/kubelet-endpoint-stale', byHand: [] },
      { id: 'engine/too-old', subject: '', reason: 'update Docker', byHand: ['apt-get install docker.io'] },
    ],
  };
  const text = describePlan('idp-mvp', plan, 2, look).join('\n');
  expect(text).toContain('Plan for idp-mvp, round 2: 3 steps, all safe');
  expect(text).not.toContain('nodes/not-ready');
  expect(text).toContain('engine/too-old: update Docker\n      apt-get install docker.io');
});

test('our own Markdown reads as text', () => {
  const page = 'One\nparagraph with `code`.\n\n- an item\n  that goes on\n- **another**\n\n```\nraw   text\n```\n';
  expect(describeMarkdown(page, '  ', look)).toEqual([
    '  One paragraph with `code`.',
    '',
    '  • an item that goes on',
    '  • another',
    '',
    '    raw   text',
  ]);
});
