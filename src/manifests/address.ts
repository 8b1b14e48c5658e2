import { isIP } from 'node:net';

/** Whether two texts name one IP address; IPv6 spellings are compared by value. */
export function isSameAddress(left: string, right: string): boolean {
  return left === right || (isIP(left) !== 0 && normalizeAddress(left) === normalizeAddress(right));
}

/** 4, 6 or 0 for a text that is no address. */
export function familyOf(address: string): 0 | 4 | 6 {
  const family = isIP(address);
  return family === 4 || family === 6 ? family : 0;
}

/** One spelling per address; other text is answered as it is. */
export function normalizeAddress(address: string): string {
  // A zone (fe80::1%eth0) belongs to one host, and no URL takes it.
  if (isIP(address) !== 6 || address.includes('%')) return address;
  // The URL parser writes IPv6 addresses in their canonical form (RFC 5952).
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}

/** `https://host:port` with brackets where the host is an IPv6 address. */
export function serverUrl(host: string, port: number): string {
  return `https://${familyOf(host) === 6 ? `[${host}]` : host}:${port}`;
}
