import { makeHex } from '../random.ts';

/** Random identifiers, all from the seed. */

/** What a component that leads calls itself. */
export function makeIdentity(random: () => number): string {
  const hex = makeHex(random, 32);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
}

export function pickBetween(random: () => number, low: number, high: number): number {
  return low + random() * (high - low);
}
