import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cleanDeep, cleanLines, cleanText, toSafeJson } from './clean.ts';
import { formatDuration, parseDuration } from './duration.ts';
import { flow, measure, truncate } from './flow.ts';
import { findNearest } from './nearest.ts';
import { formatTime, list } from './words.ts';

// oxlint-disable-next-line no-control-regex -- none of them may be left
const harmful = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/;

/** Text as an attacker would write it: words among escape sequences and controls. */
const hostileText = fc
  .array(
    fc.oneof(
      fc.string({ maxLength: 6 }),
      fc.constantFrom(
        '\u001b[31m',
        '\u001b[2J',
        '\u001b]0;title\u0007',
        '\u009b1;1H',
        '\u001b',
        '\r',
        '\n',
        '\u0007',
        '\u202e',
        '\u001bP1$r\u001b\\',
      ),
      fc.integer({ min: 0, max: 0x9f }).map((code) => String.fromCharCode(code)),
    ),
  )
  .map((parts) => parts.join(''));

describe('text from the outside', () => {
  test('leaves nothing that steers a terminal', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        expect(cleanText(text)).not.toMatch(harmful);
      }),
    );
  });

  test('loses the whole sequence and keeps the words', () => {
    expect(cleanText('\u001b[31mred\u001b[0m and \u001b]8;;http://x\u0007link\u001b]8;;\u0007')).toBe('red and link');
    expect(cleanText('one\ntwo\tthree\r')).toBe('one two three ');
    expect(cleanText('plain: https://172.18.0.4:6443 – ünï')).toBe('plain: https://172.18.0.4:6443 – ünï');
  });

  test('is cleaned in every place of a value, names of fields too; diffs keep their lines', () => {
    expect(cleanDeep({ 'na\u001b[1mme': ['a\u0007'], diff: '-a\n+b\u001b[2J\n', n: 1, none: null })).toEqual({
      name: ['a'],
      diff: '-a\n+b\n',
      n: 1,
      none: null,
    });
    expect(cleanLines('a\r\nb\tc\u0000')).toBe('a\nb\tc');
  });

  test('comes back unchanged from the JSON that shows no control', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const json = toSafeJson({ text });
        expect(JSON.parse(json)).toEqual({ text });
        expect(json.replaceAll('\n', '')).not.toMatch(harmful);
      }),
    );
  });
});

describe('filling lines', () => {
  const words = fc.array(fc.stringMatching(/^[a-z:/.0-9-]{1,12}$/), { minLength: 1, maxLength: 30 });

  test('keeps to the width and loses no word', () => {
    fc.assert(
      fc.property(words, fc.integer({ min: 20, max: 80 }), (all, width) => {
        const lines = flow([{ text: all.join(' ') }], { width, first: '  * ', rest: '    ' });
        for (const line of lines) expect(measure(line)).toBeLessThanOrEqual(width);
        expect(lines.map((line) => line.slice(4)).join(' ')).toBe(all.join(' '));
      }),
    );
  });

  test('never breaks a word, however long it is', () => {
    const path = `/${'x'.repeat(50)}`;
    expect(flow([{ text: `see ${path} there` }], { width: 20, first: '' })).toEqual(['see', path, 'there']);
  });

  test('keeps styles on their words, and what stands together together', () => {
    const bold = (text: string): string => `<${text}>`;
    expect(flow([{ text: 'a b', style: bold }, { text: ': c' }], { width: 80, first: '' })).toEqual(['<a b>: c']);
    expect(flow([{ text: 'aaa bbb', style: bold }, { text: ' c' }], { width: 4, first: '' })).toEqual([
      '<aaa>',
      '<bbb>',
      'c',
    ]);
  });

  test('cuts one line with a mark', () => {
    expect(truncate('abcdef', 4)).toBe('abc…');
    expect(truncate('abcd', 4)).toBe('abcd');
  });
});

describe('durations', () => {
  test.each([
    ['90s', 90_000],
    ['5m', 300_000],
    ['1h', 3_600_000],
    ['1h30m', 5_400_000],
    ['250ms', 250],
    ['1.5s', 1500],
  ])('%s', (text, milliseconds) => expect(parseDuration(text)).toBe(milliseconds));

  test.each(['', '5', 'm', '0s', '-1s', '5 m', '1d', '5m!'])('%j is none', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });

  test.each([
    [0, '0.0 s'],
    [3100, '3.1 s'],
    [59_949, '59.9 s'],
    [59_960, '1 min 0 s'],
    [72_400, '1 min 12 s'],
  ])('%d ms reads %s', (milliseconds, text) => expect(formatDuration(milliseconds)).toBe(text));
});

describe('nearest words', () => {
  const ids = ['node/kubelet-endpoint-stale', 'node/leftover-files', 'nodes/not-ready'];
  test.each([
    ['node/kubelet-endpiont-stale', 'node/kubelet-endpoint-stale'],
    ['kubelet-endpoint-stale', 'node/kubelet-endpoint-stale'],
    ['node/not-ready', 'nodes/not-ready'],
  ])('%s means %s', (word, meant) => expect(findNearest(word, ids)[0]).toBe(meant));

  test('nothing is near a word that has nothing in common', () => {
    expect(findNearest('volcano', ids)).toEqual([]);
  });

  test('a word is nearest to itself', () => {
    fc.assert(
      fc.property(fc.constantFrom(...ids), (id) => {
        expect(findNearest(id, ids)[0]).toBe(id);
      }),
    );
  });
});

test('lists and times read as people write them', () => {
  expect(list(['a', 'b', 'c'])).toBe('a, b and c');
  expect(formatTime('2026-05-04T09:15:00Z')).toBe('2026-05-04 09:15:00');
  expect(formatTime('never')).toBe('never');
});
