import { createPrivateKey } from 'node:crypto';

export const redacted = '<redacted>';

/** How the name of a secret ends, in lower case. */
const secretEndings = [
  /(?:token|password|secret|credential)s?$/,
  /(?:passwd|passphrase|auth|authorization)$/,
  /(?:private|api|access|certificate)[-_]?key$/,
  /(?:key-data|\.dockerconfigjson|tls\.key|ca\.key)$/,
];
/**
 * A name as YAML, JSON, flags and environment files write it, up to where its value begins. Here and below a match
 * can only begin where a word does, else long lines would be searched from each of their characters to the end.
 */
const assignment = /(?<![\w.-])(["']?)([\w.-]+)\1\s*[:=][ \t]*/g;
/** An entry of a container's `env`, in one line or, with what is indented below, in two. */
const variable = /(?<!\w)name["']?\s*:\s*["']?([\w.-]+)["']?\s*,\s*["']?value["']?\s*:[ \t]*/i;
const variableName = /(?<!\w)name["']?\s*:\s*["']?([\w.-]+)["']?\s*,?\s*$/i;
const variableValue = /(?<=^\s*)["']?value["']?\s*:[ \t]*/i;
/** Values that give nothing away. */
const harmless = /^["']?(?:true|false|null|~|\d|\{\}|\[\])?["']?,?$/i;
const privatePem =
  /(-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----)([\s\S]*?)(-----END [A-Z0-9 ]*PRIVATE KEY-----|$(?![\s\S]))/g;
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
  const lines = text.split('\n');
  const kept: string[] = [];
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? '';
    const match = findNamed(line, lines[index - 1] ?? '');
    if (match === null) {
      kept.push(line);
      continue;
    }
    const start = match.index + match[0].length;
    const below = countBelow(lines, index, match.index, line.slice(start));
    const body = [line.slice(start), ...lines.slice(index + 1, index + 1 + below)].join('\n');
    if (harmless.test(body.trim())) {
      kept.push(line);
      continue;
    }
    kept.push(`${line.slice(0, start)}${mark(body)}`);
    index += below;
  }
  return kept.join('\n');
}

function findNamed(line: string, previous: string): RegExpExecArray | null {
  const value = namesSecret(variableName.exec(previous)?.[1]) ? variableValue.exec(line) : null;
  if (value !== null) return value;
  const entry = variable.exec(line);
  if (entry !== null && namesSecret(entry[1])) return entry;
  for (const match of line.matchAll(assignment)) if (namesSecret(match[2])) return match;
  return null;
}

function namesSecret(name: string | undefined): boolean {
  const lower = name?.toLowerCase() ?? '';
  return secretEndings.some((ending) => ending.test(lower));
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

/** How many lines below belong to the value: what is indented deeper, a list, and a quoted text up to its end. */
function countBelow(lines: readonly string[], index: number, column: number, value: string): number {
  const quote = /^["']/.exec(value)?.[0];
  let open = quote !== undefined && !closes(value.slice(1), quote);
  let count = 0;
  for (let line = lines[index + 1]; line !== undefined; line = lines[index + 1 + count]) {
    const indentation = line.length - line.trimStart().length;
    const listed = value.trim() === '' && indentation === column && line.trimStart().startsWith('- ');
    const blank = line.trim() === '';
    if (!(open || blank || indentation > column || listed)) break;
    if (open && quote !== undefined && closes(line, quote)) open = false;
    count += 1;
  }
  // Blank lines at the end separate; they are no part of the value.
  while (count > 0 && (lines[index + count] ?? '').trim() === '') count -= 1;
  return count;
}

function closes(text: string, quote: string): boolean {
  return text.replace(/\\./g, '').includes(quote);
}

function holdsPrivateKey(run: string): boolean {
  const bytes = Buffer.from(run.replace(/\s/g, ''), 'base64');
  if (bytes.includes('PRIVATE KEY-----')) return true;
  // DER starts with a SEQUENCE; whether it is a key is for the library to say.
  if (bytes[0] !== 0x30) return false;
  return (['pkcs8', 'pkcs1', 'sec1'] as const).some((type) => {
    try {
      createPrivateKey({ key: bytes, format: 'der', type });
      return true;
    } catch {
      return false;
    }
  });
}
