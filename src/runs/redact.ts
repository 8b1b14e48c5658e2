import { findVariable, type NamedValue, replaceBlocks } from '../bundle/redact/blocks.ts';
import { namesSecret } from '../bundle/redact/names.ts';
import { holdsPrivateKey, privatePem } from '../bundle/redact/private-keys.ts';

export const redacted = '<redacted>';

/**
 * A name as YAML, JSON, flags and environment files write it, up to where its value begins. Here and below a match
 * can only begin where a word does, else long lines would be searched from each of their characters to the end.
 */
const assignment = /(?<![\w.-])(["']?)([\w.-]+)\1\s*[:=][ \t]*/g;
const webToken = /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g;
const bearer = /(\bBearer\s+)([\w.~+/-]{8,}=*)/gi;
const urlPassword = /((?<![a-z0-9+.-])[a-z][a-z0-9+.-]*:\/\/[^\s:/@]*:)([^\s/@]+)(@)/gi;
/** One or more lines of nothing but base64; the indentation is the text's own. */
const base64 = /[A-Za-z0-9+/]{40,}(?:\r?\n[ \t]*[A-Za-z0-9+/]+(?=={0,2}[ \t]*(?:\r?\n|$)))*={0,2}/g;

/** Stands for a secret; the same secret gets the same mark, so that a diff still tells changed from unchanged. */
export type Mark = (secret: string) => string;

/**
 * Replaces what must not be shown: the values of keys that name a secret, the bodies of private keys in PEM or
 * base64, bearer and web tokens, passwords in URLs, and every other place where one of those values stands, plain or
 * in base64. Rather too much than too little: after a secret's name the rest of the line goes, and what is indented
 * below it.
 */
export function redact(text: string, mark: Mark = () => redacted): string {
  return redactAll([text], mark)[0] ?? '';
}

/** As `redact`, for texts that belong together: a secret that one of them gives away is hidden in all. */
export function redactAll(texts: readonly string[], mark: Mark = () => redacted): string[] {
  const found = new Set<string>();
  const take: Mark = (secret) => {
    for (const form of listForms(secret)) found.add(form);
    return mark(secret.trim());
  };
  const cut = texts.map((text) => redactShapes(redactNamed(text, take), take));
  // What looks like a secret was found; now the places where it stands without its name.
  const forms = [...found]
    .flatMap((secret) => [secret, encode(secret), encode(`${secret}\n`)])
    .toSorted((a, b) => b.length - a.length);
  return cut.map((text) => forms.reduce((shown, form) => shown.replaceAll(form, () => mark(form)), text));
}

function encode(secret: string): string {
  return Buffer.from(secret).toString('base64').replace(/=+$/, '');
}

function redactShapes(text: string, mark: Mark): string {
  return text
    .replace(privatePem, (_, begin: string, body: string, end: string) => `${begin}\n${mark(body)}\n${end}`)
    .replace(base64, (run) => (holdsPrivateKey(run) ? mark(run) : run))
    .replace(webToken, (token) => mark(token))
    .replace(bearer, (_, word: string, token: string) => `${word}${mark(token)}`)
    .replace(urlPassword, (_, before: string, password: string, after: string) => `${before}${mark(password)}${after}`);
}

function redactNamed(text: string, mark: Mark): string {
  return replaceBlocks(text, findNamed, mark);
}

function findNamed(line: string, previous: string): NamedValue | null {
  const variable = findVariable(line, previous);
  if (variable !== null && namesSecret(variable.name)) return variable;
  for (const match of line.matchAll(assignment)) {
    if (namesSecret(match[2])) return { column: match.index, start: match.index + match[0].length };
  }
  return null;
}

/** What to look for elsewhere: the value without what is around it in its line, each long line, and both decoded. */
function listForms(secret: string): string[] {
  const plain = secret.trim();
  const quoted = /^(["'])([\s\S]*?)(?<!\\)\1/.exec(plain)?.[2];
  const inFlow = /^[^,}\]]+/.exec(plain)?.[0].trim();
  const value = quoted ?? plain;
  const values = quoted === undefined && inFlow !== undefined ? [value, inFlow] : [value];
  const texts = [...values, ...values.map(decode)];
  const lines = [plain, ...texts].flatMap((text) => text.split('\n').map((line) => line.trim()));
  return [...texts.filter((text) => text.length >= 6), ...lines.filter((line) => line.length >= 16)];
}

/** Empty where the text is no base64 of a text. */
function decode(text: string): string {
  if (!/^[A-Za-z0-9+/]{8,}={0,2}$/.test(text)) return '';
  const decoded = Buffer.from(text, 'base64').toString('utf8').trim();
  return /^[\t\n\r -~]*$/.test(decoded) ? decoded : '';
}
