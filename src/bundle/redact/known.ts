import type { SecretKind } from './kinds.ts';

/** Secrets that were found somewhere and are hidden everywhere. */
export interface KnownSecrets {
  add(kind: SecretKind, secret: string): void;
  /** The kind of the first known secret in the text, as itself; null where there is none. */
  findIn(text: string): SecretKind | null;
  /** Replaces every form of every known secret. */
  replace(text: string, take: (kind: SecretKind) => string): string;
}

/**
 * `isOpen` tells words that never count as a secret, whatever they are called by: a diagnosis needs the names of nodes
 * and of the cluster.
 */
export function collectSecrets(isOpen: (word: string) => boolean): KnownSecrets {
  const kinds = new Map<string, SecretKind>();
  let forms: readonly (readonly [string, SecretKind])[] | undefined;
  return {
    add(kind, secret) {
      for (const value of listValues(secret)) {
        if (kinds.has(value) || isOpen(value) || !isTelling(kind, value)) continue;
        kinds.set(value, kind);
        forms = undefined;
      }
    },
    findIn(text) {
      for (const [value, kind] of kinds) if (text.includes(value)) return kind;
      return null;
    },
    replace(text, take) {
      forms ??= [...kinds]
        .flatMap(([value, kind]) => [...listForms(value)].map((form) => [form, kind] as const))
        .toSorted(([one], [other]) => other.length - one.length);
      return forms.reduce((shown, [form, kind]) => shown.replaceAll(form, () => take(kind)), text);
    },
  };
}

/**
 * The value without what stands around it in its line, what follows a user's name, each line and each item, and all of
 * these decoded. Of a line that goes on in words only the first are looked at, and only those that are no words.
 */
function listValues(secret: string): Set<string> {
  const plain = secret.trim();
  const bare = plain.replace(/^\\*["'`]|\\*["'`]$/g, '');
  const unescaped = bare.replace(/\\n/g, '\n').replace(/\\(["'\\/])/g, '$1');
  const words = plain.split(/[\s,;&"'`\\()[\]{}]+/);
  const isList = /^(?:[[{]|map\[)/.test(plain) || plain.includes('\n');
  const telling = (isList ? words : words.slice(0, 4)).filter((word) => /\d/.test(word) || word.length >= 16);
  const pieces = [plain, bare, unescaped, ...telling, ...unescaped.split('\n')].flatMap((piece) => [
    piece.trim(),
    piece.trim().replace(/[.,;:)\]}"'\\]+$/, ''),
  ]);
  const texts = [...pieces, ...pieces.flatMap(readPassword)];
  const decoded = texts.map(decode).filter((text) => text !== '');
  return new Set([...texts, unescaped.replace(/\s+/g, ''), ...decoded, ...decoded.flatMap(readPassword)]);
}

/** `user:password` */
function readPassword(text: string): string[] {
  const password = /^[^\s:]{0,200}:(\S+)$/.exec(text)?.[1];
  return password === undefined ? [] : [password];
}

/** Empty where the text is no base64 of a text. */
function decode(text: string): string {
  if (!/^[A-Za-z0-9+/_-]{8,}={0,2}$/.test(text)) return '';
  const decoded = Buffer.from(text, 'base64').toString('utf8').trim();
  return /^[\t\n\r -~]+$/.test(decoded) ? decoded : '';
}

/** What could be any word is no more than hidden where it stands: hiding it everywhere would leave nothing to read. */
function isTelling(kind: SecretKind, value: string): boolean {
  if (value.length < 6 || /^(?:[a-z][a-z0-9+.-]*:\/\/|\/|v?\d+\.\d+|\d{4}-\d\d-\d\d)/i.test(value)) return false;
  if (/^[\w.-]+:\d{1,5}$/.test(value)) return false;
  if (/^[[(]?[0-9a-f]{0,4}:[0-9a-f:.]+[\])]?(?::\d+)?$/i.test(value)) return false;
  if (kind === 'password' && !commonWords.test(value)) return true;
  const mixed = /\d/.test(value) && /[a-z]/i.test(value);
  return mixed || /[a-z][A-Z]|[A-Z]{3,}[a-z]|^[A-Za-z]{16,}$/.test(value) || value.length >= 32;
}

const commonWords =
  /^(?:authenticat\w+|authoriz\w+|incorrect|invalid|expired|missing|required|unknown|default|password|secret|string|kubernetes|kubelet|permission|connection|refused|failed|cannot|\w+ \w+ \w[\w ]*)$/i;

function listForms(value: string): Set<string> {
  const encoded = [value, `${value}\n`].map((text) => Buffer.from(text).toString('base64').replace(/=+$/, ''));
  return new Set([
    value,
    JSON.stringify(value).slice(1, -1),
    // As Go escapes in JSON.
    value.replace(/[<>&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`),
    escapeForUrl(value),
    ...encoded,
    ...encoded.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  ]);
}

/** As it is where it has halves of characters, which no URL can hold. */
function escapeForUrl(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    return text;
  }
}
