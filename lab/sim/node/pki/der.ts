/**
 * The part of ASN.1's DER that certificates need (X.690). Written here because a cluster has some twenty certificates
 * and thousands of clusters are made: the general libraries take 15 ms for each.
 */

/** A value with its tag and length in front. */
export function tag(number: number, ...contents: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([number]), encodeLength(body.length), body]);
}

export function sequence(...members: readonly Uint8Array[]): Buffer {
  return tag(0x30, ...members);
}

export function set(...members: readonly Uint8Array[]): Buffer {
  return tag(0x31, ...members);
}

/** A whole number from its big-endian bytes; never negative. */
export function integer(bytes: Uint8Array): Buffer {
  const start = bytes.findIndex((byte) => byte !== 0);
  const digits = start < 0 ? Buffer.from([0]) : Buffer.from(bytes.subarray(start));
  return tag(0x02, (digits[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), digits]) : digits);
}

export function boolean(value: boolean): Buffer {
  return tag(0x01, Buffer.from([value ? 0xff : 0]));
}

export function octets(contents: Uint8Array): Buffer {
  return tag(0x04, contents);
}

/** `unused`: how many bits of the last byte do not count. */
export function bits(contents: Uint8Array, unused = 0): Buffer {
  return tag(0x03, Buffer.from([unused]), contents);
}

export function utf8(text: string): Buffer {
  return tag(0x0c, Buffer.from(text));
}

/** An object identifier such as `2.5.29.17`. */
export function identifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return tag(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(encodeBase128)]));
}

/** UTCTime until 2049, GeneralizedTime after it, as RFC 5280 wants it; whole seconds. */
export function time(milliseconds: number): Buffer {
  const digits = `${new Date(milliseconds).toISOString().replace(/[-:T]|\..*$/g, '')}Z`;
  return digits < '2050' ? tag(0x17, Buffer.from(digits.slice(2))) : tag(0x18, Buffer.from(digits));
}

function encodeLength(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest >>= 8) bytes.unshift(rest & 0xff);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

function encodeBase128(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let rest = value >> 7; rest > 0; rest >>= 7) bytes.unshift(0x80 | (rest & 0x7f));
  return bytes;
}
