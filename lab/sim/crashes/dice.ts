import { createRandom } from '../random.ts';

/** Everything that is left to chance in a plan, from its seed alone. */
export interface Dice {
  /** True so often, of 1. */
  chance(probability: number): boolean;
  /** A whole number, both ends included. */
  between(least: number, most: number): number;
  pick<T>(items: readonly T[]): T;
  /** One of them, each as likely as its weight says. */
  weigh<T extends { readonly weight: number }>(items: readonly T[]): T;
  /** The same items in another order. */
  mix<T>(items: readonly T[]): T[];
}

export function createDice(seed: number): Dice {
  const random = createRandom(seed);
  // Neighbouring seeds begin alike: their first numbers are thrown away.
  for (let turn = 0; turn < 8; turn++) random();
  const dice: Dice = {
    chance: (probability) => random() < probability,
    between: (least, most) => least + Math.floor(random() * (most - least + 1)),
    pick(items) {
      const item = items[Math.floor(random() * items.length)];
      if (item === undefined) throw new RangeError('there is nothing to pick from');
      return item;
    },
    weigh(items) {
      let left = random() * items.reduce((sum, { weight }) => sum + weight, 0);
      const found = items.find(({ weight }) => (left -= weight) < 0) ?? items.at(-1);
      if (found === undefined) throw new RangeError('there is nothing to pick from');
      return found;
    },
    mix(items) {
      const mixed = [...items];
      for (let last = mixed.length - 1; last > 0; last--) {
        const other = Math.floor(random() * (last + 1));
        const [left, right] = [mixed[last], mixed[other]];
        if (left !== undefined && right !== undefined) [mixed[last], mixed[other]] = [right, left];
      }
      return mixed;
    },
  };
  return dice;
}
