import { describe, expect, test } from 'vitest';
import { createDice } from './dice.ts';
import { crashFaults } from './faults/index.ts';
import { describePlan, planCrash } from './plan.ts';

const seeds = Array.from({ length: 2000 }, (_, index) => index + 1);

describe('the plan of a crash', () => {
  test('comes from its seed alone', () => {
    for (const seed of seeds.slice(0, 50)) expect(planCrash(seed)).toEqual(planCrash(seed));
    expect(describePlan(planCrash(1))).not.toEqual(describePlan(planCrash(2)));
  });

  test('has one to four faults, and every fault comes up', () => {
    const plans = seeds.map(planCrash);
    expect(new Set(plans.map(({ faults }) => faults.length))).toEqual(new Set([1, 2, 3, 4]));
    const names = plans.flatMap(({ faults }) => faults.map(({ name }) => name));
    expect(new Set(names)).toEqual(new Set(crashFaults.map(({ name }) => name)));
  });

  test('breaks into the heal in every way there is', () => {
    const plans = seeds.map(planCrash);
    const ways = plans.map(({ during, kill }) => `${during === undefined ? '' : 'trouble'} ${kill?.next ?? ''}`);
    expect(new Set(ways)).toEqual(new Set([' ', 'trouble ', ' heal', ' undo', 'trouble heal', 'trouble undo']));
  });
});

test('dice keep within their bounds and lose nothing', () => {
  for (const seed of seeds.slice(0, 200)) {
    const dice = createDice(seed);
    expect(dice.mix([1, 2, 3, 4, 5]).toSorted((one, other) => one - other)).toEqual([1, 2, 3, 4, 5]);
    const number = dice.between(3, 6);
    expect(number >= 3 && number <= 6).toBe(true);
    expect(
      dice.weigh([
        { weight: 0, is: 'never' },
        { weight: 1, is: 'always' },
      ]).is,
    ).toBe('always');
  }
});
