import { getEventListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { makeClock } from './testing/clock.ts';
import { limitTime } from './time-limit.ts';

const warnings: Error[] = [];
const keep = (warning: Error) => warnings.push(warning);

afterEach(() => {
  process.off('warning', keep);
  warnings.length = 0;
});

test('as many may listen as there are nodes, without a warning', async () => {
  process.on('warning', keep);
  const limit = limitTime(makeClock('2026-05-04T09:15:00Z'), 60_000, new AbortController().signal);
  for (let node = 0; node < 40; node += 1) limit.signal.addEventListener('abort', () => {}, { once: true });
  await setImmediate();
  expect(getEventListeners(limit.signal, 'abort')).toHaveLength(40);
  expect(warnings).toEqual([]);
  limit.clear();
});
