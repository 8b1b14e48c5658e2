import { expect, test } from 'vitest';
import { makePalette } from '../render/look.ts';
import { makeFakeSurroundings } from '../testing/run.ts';
import { makeFakeStreams } from '../testing/streams.ts';
import { openLiveRegion } from './live-region.ts';

function openRegion(columns = 60) {
  const streams = makeFakeStreams({ stderr: 'terminal', columns });
  const region = openLiveRegion(streams, makeFakeSurroundings({}, '/').clock, makePalette(false));
  return { streams, region, screen: () => replay(streams.err()) };
}

/** What a terminal shows after the text, as far as the region's own sequences go. */
function replay(text: string): string[] {
  const lines = [''];
  for (const part of text.split(/(\u001b\[\d+A\r\u001b\[0J|\n)/)) {
    const up = /\u001b\[(\d+)A/.exec(part);
    if (up !== null) lines.splice(lines.length - 1 - Number(up[1]), lines.length, '');
    else if (part === '\n') lines.push('');
    else lines[lines.length - 1] += part;
  }
  return lines;
}

test('what is under way is redrawn in place, what is written stays above it', () => {
  const { streams, region, screen } = openRegion();
  region.show('a', 'looking at one');
  region.show('b', 'looking at two');
  streams.tick();
  region.write(['found something']);
  region.update('b', '1 of 2');
  region.remove('a');
  const lines = screen();
  expect(lines).toHaveLength(3);
  expect(lines[0]).toBe('found something');
  expect(lines[1]).toMatch(/^. looking at two: 1 of 2 \d+\.\d s$/);
  region.clear();
  expect(screen()).toEqual(['found something', '']);
});

test('a line never reaches the last column, where the terminal would wrap it', () => {
  const { region, screen } = openRegion(40);
  region.show('a', 'x'.repeat(200));
  for (const line of screen()) expect(line.length).toBeLessThan(40);
});

test('nothing ticks while nothing is under way', () => {
  const { streams, region } = openRegion();
  region.show('a', 'looking');
  region.remove('a');
  const before = streams.err();
  streams.tick();
  expect(streams.err()).toBe(before);
});
