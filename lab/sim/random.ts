/** Numbers from 0 (included) to 1 (excluded): the same seed gives the same row (mulberry32, by Tommy Ettinger, public domain). */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** So many hexadecimal digits. */
export function makeHex(random: () => number, length: number): string {
  return Array.from({ length }, () => Math.floor(random() * 16).toString(16)).join('');
}

/** Version 4. */
export function makeUuid(random: () => number): string {
  const digits = makeHex(random, 32).split('');
  digits[12] = '4';
  digits[16] = (8 + Math.floor(random() * 4)).toString(16);
  return digits.join('').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** No vowels, so that no words arise. */
const suffixLetters = 'bcdfghjklmnpqrstvwxz2456789';

/** The ending that Kubernetes gives generated names. */
export function makeSuffix(random: () => number, length = 5): string {
  return Array.from({ length }, () => suffixLetters[Math.floor(random() * suffixLetters.length)] ?? 'x').join('');
}
