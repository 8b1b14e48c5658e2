import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAddressPool, deriveMac, parseAddress } from './addresses.ts';

describe('an address pool', () => {
  it('deals what Docker deals on kind’s network', () => {
    const pool = createAddressPool('172.18.0.0/16');
    expect([pool.gateway, pool.take(), pool.take()]).toEqual(['172.18.0.1', '172.18.0.2', '172.18.0.3']);
    const pool6 = createAddressPool('fc00:f853:ccd:e793::/64');
    expect([pool6.gateway, pool6.take()]).toEqual(['fc00:f853:ccd:e793::1', 'fc00:f853:ccd:e793::2']);
  });

  it('passes over a gateway that is not the first address', () => {
    const pool = createAddressPool('10.0.0.0/29', '10.0.0.2');
    expect(Array.from({ length: 5 }, () => pool.take())).toEqual([
      '10.0.0.1',
      '10.0.0.3',
      '10.0.0.4',
      '10.0.0.5',
      '10.0.0.6',
    ]);
    expect(() => pool.take()).toThrow('no available addresses in the pool 10.0.0.0/29');
  });

  it('always deals the lowest free address', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constant('take' as const), fc.nat(30)), { maxLength: 60 }), (actions) => {
        const pool = createAddressPool('10.1.0.0/24');
        const held = new Set<string>();
        for (const action of actions) {
          if (action === 'take') {
            const lowest = Array.from({ length: 253 }, (_, index) => `10.1.0.${index + 2}`).find(
              (one) => !held.has(one),
            );
            const dealt = pool.take();
            expect(dealt).toBe(lowest);
            held.add(dealt);
          } else {
            const freed = [...held][action % Math.max(1, held.size)];
            if (freed !== undefined) pool.free(freed);
            held.delete(freed ?? '');
          }
        }
      }),
    );
  });
});

describe('addresses', () => {
  it('are read in all their forms', () => {
    expect(parseAddress('0.0.1.2')).toBe(258n);
    expect(parseAddress('::')).toBe(0n);
    expect(parseAddress('::1:2')).toBe(65_538n);
    expect(parseAddress('fc00::')).toBe(0xfc00n << 112n);
  });

  it.each(['', '1.2.3', '1.2.3.256', 'a.b.c.d', '1:2', ':::x'])('%j is none', (text) => {
    expect(() => parseAddress(text)).toThrow('is no address');
  });

  it('make a hardware address', () => {
    expect(deriveMac('172.18.0.10')).toBe('02:42:ac:12:00:0a');
  });
});
