import { findVariable, type NamedValue, replaceBlocks } from './blocks.ts';
import type { SecretKind, Take } from './kinds.ts';
import { harmless, kindOfName } from './names.ts';

/** A field at the beginning of a line, as YAML and HTTP write it: the rest of the line belongs to it. */
const field = /^([ \t]*(?:-[ \t]+)*)(["']?)([\w./-]{1,120})\2[ \t]*:(?:[ \t]+|$)/;
/** A name in the middle of a line, with the quotes around it (escaped, where JSON stands in JSON), and its sign. */
const assignment = /(\\*["'`]|[?&])?(?<![\w.-])(-{0,2}[A-Za-z_.][\w.-]{0,120})(\\*["'`])?[ \t]*(:=|=>|[:=])[ \t]*/g;
/** A flag whose value is the next word, in a command line or a printed argument vector. */
const flag = /(?<![\w.-])(--?[A-Za-z][\w.-]{0,120})(?:\\*["'],?[ \t]*|,?[ \t]+)(?:(\\*["'])(.*?)\2|(?!-)([^\s\]]+))/g;

/** Takes out what is named as a secret: `password: x`, `token=x`, `"client-secret":"x"`, `--password x`. */
export function replaceAssignments(text: string, take: Take): string {
  const blocks = replaceBlocks(text, findField, (value, { kind }) => take(kind, value));
  return blocks
    .split('\n')
    .map((line) => replaceFlags(replaceInLine(line, take), take))
    .join('\n');
}

function findField(line: string, previous: string): (NamedValue & { readonly kind: SecretKind }) | null {
  const variable = findVariable(line, previous);
  const ofVariable = variable === null ? null : kindOfName(variable.name);
  if (variable !== null && ofVariable !== null) return { ...variable, kind: ofVariable };
  const match = field.exec(line);
  const kind = kindOfName(match?.[3] ?? '');
  if (match === null || kind === null) return null;
  return { column: match[1]?.length ?? 0, start: match[0].length, kind };
}

function replaceInLine(line: string, take: Take): string {
  let shown = '';
  let from = 0;
  for (const match of line.matchAll(assignment)) {
    if (match.index < from) continue;
    const [all, before = '', name = '', after = '', sign = ''] = match;
    const kind = kindOfName(name);
    if (kind === null) continue;
    const start = match.index + all.length;
    if (sign === ':' && isProse(line.slice(0, match.index), line.slice(start), kind)) continue;
    const value = readValue(line.slice(start), { before, after, sign, kind });
    if (value === '' || harmless.test(value)) continue;
    shown += `${line.slice(from, start)}${take(kind, value)}`;
    from = start + value.length;
  }
  return shown + line.slice(from);
}

/** `failed to fetch token: serviceaccounts "x" is forbidden`: an error about a token, and not a token. */
function isProse(before: string, rest: string, kind: SecretKind): boolean {
  return (kind === 'token' || kind === 'secret') && /[a-z] $/.test(before) && /^[A-Za-z]{1,15} /.test(rest);
}

/** What JSON and Go print where there is no value. */
const literal = /^(?:true|false|null|nil|<nil>|none|\d)(?=[\s,;}\])]|$)/i;

interface Named {
  readonly before: string;
  readonly after: string;
  readonly sign: string;
  readonly kind: SecretKind;
}

/** The value, with its quotes; rather too much of the line than too little. */
function readValue(rest: string, { before, after, sign, kind }: Named): string {
  if (literal.test(rest)) return '';
  const quote = /^\\*["'`]/.exec(rest)?.[0];
  if (quote !== undefined) return readQuoted(rest, quote);
  if (/^(?:[[{]|map\[)/.test(rest)) return readBracketed(rest);
  if (before === '?' || before === '&') return /^[^\s&"'<>]*/.exec(rest)?.[0] ?? '';
  // The whole assignment stands in quotes.
  if (before !== '' && after === '') {
    const end = rest.indexOf(before);
    if (end >= 0) return rest.slice(0, end);
  }
  const mayHoldBlanks = kind === 'authorization header' || (kind === 'password' && sign.startsWith(':'));
  return mayHoldBlanks ? rest : (/^\S*/.exec(rest)?.[0] ?? '');
}

/** Up to the same quote, escaped as often; all of it where it is not closed. */
function readQuoted(rest: string, quote: string): string {
  for (let at = rest.indexOf(quote, quote.length); at >= 0; at = rest.indexOf(quote, at + 1)) {
    if (rest[at - 1] !== '\\') return rest.slice(0, at + quote.length);
  }
  return rest;
}

function readBracketed(rest: string): string {
  let depth = 0;
  for (let at = 0; at < rest.length; at++) {
    const character = rest[at] ?? '';
    if ('[{'.includes(character)) depth += 1;
    else if (']}'.includes(character)) depth -= 1;
    if (depth === 0 && ']}'.includes(character)) return rest.slice(0, at + 1);
  }
  return rest;
}

function replaceFlags(line: string, take: Take): string {
  return line.replace(flag, (all: string, name: string, quote = '', quoted?: string, word?: string) => {
    const kind = kindOfName(name);
    const value = quoted ?? word ?? '';
    if (kind === null || value === '' || harmless.test(value)) return all;
    const length = value.length + quote.length * 2;
    return `${all.slice(0, all.length - length)}${quote}${take(kind, value)}${quote}`;
  });
}
