/** IP addresses of both families as numbers, and pools that deal them. */

export interface AddressPool {
  readonly subnet: string;
  readonly gateway: string;
  readonly prefixLength: number;
  /** The lowest free address, as Docker's own allocator deals it to bridge networks. Throws an Error where none is left. */
  take(): string;
  free(address: string): void;
  isTaken(address: string): boolean;
}

/** A pool over a subnet in CIDR notation; network, gateway and broadcast address are never dealt. */
export function createAddressPool(subnet: string, gateway?: string): AddressPool {
  const [base = '', length = ''] = subnet.split('/');
  const bits = base.includes(':') ? 128 : 32;
  const prefixLength = Number(length);
  const size = 1n << BigInt(bits - prefixLength);
  const first = parseAddress(base);
  const format = (offset: bigint) => formatAddress(first + offset, bits);
  const ownGateway = gateway ?? format(1n);
  const taken = new Set<bigint>([0n, parseAddress(ownGateway) - first]);
  if (bits === 32) taken.add(size - 1n);

  return {
    subnet,
    gateway: ownGateway,
    prefixLength,
    take() {
      for (let offset = 1n; offset < size; offset += 1n) {
        if (!taken.has(offset)) {
          taken.add(offset);
          return format(offset);
        }
      }
      throw new Error(`no available addresses in the pool ${subnet}`);
    },
    free: (address) => void taken.delete(parseAddress(address) - first),
    isTaken: (address) => taken.has(parseAddress(address) - first),
  };
}

/** Throws a RangeError for what is no address. */
export function parseAddress(address: string): bigint {
  if (!address.includes(':')) return joinParts(address.split('.'), 8n, 10, 4, address);
  const [head = '', tail] = address.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const missing = tail === undefined ? 0 : 8 - before.length - after.length;
  return joinParts([...before, ...Array.from({ length: missing }, () => '0'), ...after], 16n, 16, 8, address);
}

function joinParts(parts: readonly string[], width: bigint, radix: number, count: number, address: string): bigint {
  const numbers = parts.map((part) => (/^[\da-f]+$/i.test(part) ? Number.parseInt(part, radix) : Number.NaN));
  if (parts.length !== count || numbers.some((number) => Number.isNaN(number) || number >= 2 ** Number(width)))
    throw new RangeError(`${address} is no address`);
  return numbers.reduce((sum, number) => (sum << width) | BigInt(number), 0n);
}

function formatAddress(number: bigint, bits: number): string {
  const width = bits === 32 ? 8n : 16n;
  const count = bits === 32 ? 4 : 8;
  const parts = Array.from(
    { length: count },
    (_, index) => (number >> (width * BigInt(count - 1 - index))) & ((1n << width) - 1n),
  );
  return bits === 32 ? parts.join('.') : compress(parts.map((part) => part.toString(16)));
}

/** The longest run of two or more zero groups becomes `::`, the first of equal ones. RFC 5952. */
function compress(groups: readonly string[]): string {
  let best = { start: 0, length: 0 };
  for (let start = 0; start < groups.length; start += 1) {
    let end = start;
    while (groups[end] === '0') end += 1;
    if (end - start > best.length) best = { start, length: end - start };
  }
  if (best.length < 2) return groups.join(':');
  return `${groups.slice(0, best.start).join(':')}::${groups.slice(best.start + best.length).join(':')}`;
}

/** Docker's hardware address of an endpoint until release 27: made from its IPv4 address. */
export function deriveMac(ipv4: string): string {
  const octets = ipv4.split('.').map((part) => Number(part).toString(16).padStart(2, '0'));
  return ['02', '42', ...octets].join(':');
}
