import { describe, expect, it } from 'vitest';
import { replaceAddress, unusedAddress } from './node.ts';

describe('replaceAddress', () => {
  it.each([
    ['https://172.18.0.2:6443', 'https://172.18.0.7:6443'],
    ['a=172.18.0.2,b=172.18.0.2.', 'a=172.18.0.7,b=172.18.0.7.'],
    ['172.18.0.20 172.18.0.2', '172.18.0.20 172.18.0.7'],
    ['1172.18.0.2 8.172.18.0.2 172.18.0.2.5 172x18.0.2', '1172.18.0.2 8.172.18.0.2 172.18.0.2.5 172x18.0.2'],
  ])('turns %j into %j', (text, expected) => {
    expect(replaceAddress(text, '172.18.0.2', '172.18.0.7')).toBe(expected);
  });
});

describe('unusedAddress', () => {
  it('stays in the network and differs from the address', () => {
    expect(unusedAddress('172.18.0.2')).toBe('172.18.0.251');
  });
});
