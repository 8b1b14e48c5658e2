import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBackOff, formatBackOff } from './backoff.ts';

describe('the back-off of containers', () => {
  it('starts at once the first time, then after 10, 20, 40, 80, 160 and 300 s', () => {
    const backOff = createBackOff();
    let now = 0;
    const waits = Array.from({ length: 8 }, () => {
      const wait = backOff.next(now, now);
      now += wait + 1_000;
      return wait / 1000;
    });
    expect(waits).toEqual([0, 10, 20, 40, 80, 160, 300, 300]);
  });

  it('begins anew after more than ten minutes without a fall', () => {
    const backOff = createBackOff();
    backOff.next(0, 0);
    backOff.next(1_000, 1_000);
    expect(backOff.next(700_000, 700_000)).toBe(0);
  });

  it('never waits longer than five minutes, nor for what has ended long ago', () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 900_000 }), { maxLength: 30 });
    fc.assert(
      fc.property(gaps, (lives) => {
        const backOff = createBackOff();
        let now = 0;
        for (const life of lives) {
          now += life;
          const wait = backOff.next(now, now);
          expect(wait).toBeLessThanOrEqual(300_000);
          now += wait;
        }
      }),
    );
  });

  it('is written as the kubelet writes it', () => {
    const backOff = createBackOff();
    let now = 0;
    const texts = Array.from({ length: 7 }, () => {
      now += backOff.next(now, now);
      return formatBackOff(backOff);
    });
    expect(texts.slice(1)).toEqual(['10s', '20s', '40s', '1m20s', '2m40s', '5m0s']);
  });
});
