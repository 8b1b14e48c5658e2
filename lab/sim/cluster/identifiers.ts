/** Random identifiers, all from the seed. */

const suffixLetters = 'bcdfghjklmnpqrstvwxz2456789';

export function makeHex(random: () => number, digits: number): string {
  let text = '';
  while (text.length < digits) text += Math.floor(random() * 16).toString(16);
  return text;
}

export function makeUuid(random: () => number): string {
  const hex = makeHex(random, 32);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
}

/** The ending that Kubernetes gives generated names. */
export function makeSuffix(random: () => number, length = 5): string {
  let text = '';
  while (text.length < length) text += suffixLetters[Math.floor(random() * suffixLetters.length)] ?? 'x';
  return text;
}

export function pickBetween(random: () => number, low: number, high: number): number {
  return low + random() * (high - low);
}
