import { holdsPrivateKey } from './private-keys.ts';
import type { SecretKind } from './kinds.ts';

/**
 * Base64 of either alphabet in lines, as tools wrap it; the indentation is the text's own, and the line ends may be
 * escaped, as inside a string.
 */
const wrapped =
  /[A-Za-z0-9+/_-]{57,}(?:(?:\r?\n|(?:\\+r)?\\+n)[ \t]*[A-Za-z0-9+/_-]+(?=[ \t]*(?:\r?\n|\\+[rn])))*(?:\r?\n|(?:\\+r)?\\+n)[ \t]*[A-Za-z0-9+/_-]+={0,2}/g;
const breaks = /\s|\\+[rn]/g;
const run = /[A-Za-z0-9+/_-]{8,}={0,2}/g;
/** What can be read in decoded bytes. Noise has such a stretch once in a million bytes. */
const readable = /[\t\n\r -~]{6,}/g;

/** What the text itself holds, the base64 in it left aside; null where it holds nothing. */
export type Look = (text: string) => SecretKind | null;

/** Replaces each run of base64 that hides a secret, be it encoded up to three times. */
export function replaceEncoded(text: string, look: Look, take: (kind: SecretKind, run: string) => string): string {
  const replaceRun = (found: string): string => {
    const kind = findInRun(found.replace(breaks, ''), look, 3);
    return kind === null ? found : take(kind, found);
  };
  return text.replace(wrapped, replaceRun).replace(run, replaceRun);
}

function findInRun(encoded: string, look: Look, depth: number): SecretKind | null {
  const standard = encoded.replaceAll('-', '+').replaceAll('_', '/');
  if (standard.length >= 40 && holdsPrivateKey(standard)) return 'private key';
  // A run may begin with something that is no part of the base64, such as the folders of a path.
  for (let skipped = 0; skipped < 4; skipped++) {
    const decoded = Buffer.from(standard.slice(skipped), 'base64').toString('latin1');
    for (const [stretch] of decoded.matchAll(readable)) {
      const kind = look(stretch) ?? (depth > 1 ? findInText(stretch, look, depth - 1) : null);
      if (kind !== null) return kind;
    }
  }
  return null;
}

function findInText(text: string, look: Look, depth: number): SecretKind | null {
  for (const pattern of [wrapped, run]) {
    for (const [found] of text.matchAll(pattern)) {
      const kind = findInRun(found.replace(breaks, ''), look, depth);
      if (kind !== null) return kind;
    }
  }
  return null;
}
