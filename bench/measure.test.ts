import { describe, expect, it } from 'vitest';
import { alternate, median } from './measure.ts';

describe('median', () => {
  it('is the middle one, or the mean of the middle two', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([9, 1, 5, 7])).toBe(6);
    expect(median([])).toBeNaN();
  });
});

describe('alternate', () => {
  it('takes turns, and lets each side begin every other round', async () => {
    const order: string[] = [];
    const side = (name: string, milliseconds: number) => () => {
      order.push(name);
      return Promise.resolve(milliseconds);
    };

    const measured = await alternate(3, side('ours', 1), side('theirs', 2));

    expect(order).toEqual(['ours', 'theirs', 'theirs', 'ours', 'ours', 'theirs']);
    expect(measured).toEqual({ ours: [1, 1, 1], theirs: [2, 2, 2] });
  });
});
