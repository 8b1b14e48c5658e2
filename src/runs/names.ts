import { createHash } from 'node:crypto';

const longestName = 100;

/**
 * Makes any text one harmless part of a path: bytes other than `a-z 0-9 _ -` become `%hh`. Upper case and dots are
 * escaped too, so that two names stay two files where the file system ignores case, and `..` is never one.
 * A text that grows too long for a file name is cut and told apart by its hash.
 */
export function escapeName(text: string): string {
  const escaped = Array.from(Buffer.from(text, 'utf8'), (byte) => {
    const character = String.fromCharCode(byte);
    return /^[a-z0-9_-]$/.test(character) ? character : `%${byte.toString(16).padStart(2, '0')}`;
  }).join('');
  if (escaped.length <= longestName && escaped !== '') return escaped;
  return `${escaped.slice(0, longestName - 34)}~${hash(text).slice(0, 32)}`;
}

/** SHA-256 as hexadecimal digits. */
export function hash(contents: Uint8Array | string): string {
  return createHash('sha256').update(contents).digest('hex');
}
