import type { SecretKind } from './kinds.ts';
import type { Look } from './encoded.ts';

/** A stretch as `encodeURIComponent` and forms write it; what holds no escape is left alone. */
const stretch = /(?:[\w.~!*'()+-]|%[0-9A-Fa-f]{2}){3,8000}/g;
const escape = /%([0-9A-Fa-f]{2})/g;
/** A URL within a URL within a URL. */
const deepest = 3;

/** Replaces each percent-encoded stretch that hides a secret. */
export function replaceUrlEncoded(text: string, look: Look, take: (kind: SecretKind, found: string) => string): string {
  if (!text.includes('%')) return text;
  return text.replace(stretch, (found) => {
    let decoded = found;
    for (let depth = 0; depth < deepest; depth++) {
      const next = decoded.replace(escape, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
      if (next === decoded) return found;
      decoded = next;
      const kind = look(decoded);
      if (kind !== null) return take(kind, found);
    }
    return found;
  });
}
