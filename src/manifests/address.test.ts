import { expect, test } from 'vitest';
import { normalizeAddress } from './address.ts';

test.each([
  ['FC00:F853:CCD:E793:0:0:0:3', 'fc00:f853:ccd:e793::3'],
  ['0:0:0:0:0:0:0:1', '::1'],
  ['172.18.0.2', '172.18.0.2'],
  ['fe80::1%eth0', 'fe80::1%eth0'],
  ['localhost', 'localhost'],
])('spells %s as %s', (address, normal) => {
  expect(normalizeAddress(address)).toBe(normal);
});
