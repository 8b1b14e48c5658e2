import { privatePem } from './private-keys.ts';
import type { SecretKind, Take } from './kinds.ts';

/**
 * Secrets that are known by their own shape, wherever they stand. The prefixes are those that their issuers publish
 * so that scanners find them. No boundary is asked for before a prefix that is unmistakable: it may be glued to
 * something. A table of our own, since the libraries that have one find no password, no base64 and no Kubernetes
 * token, are asynchronous linters over files, or replace what a diagnosis needs (addresses, UUIDs).
 */
const shapes: readonly (readonly [SecretKind, RegExp])[] = [
  ['GitHub token', /gh[pousr]_[A-Za-z0-9]{16,}|github_pat_\w{20,}/g],
  [
    'GitLab token',
    /gl(?:pat|oas|dt|rt|rtr|cbt|ptt|ft|imt|agent|soat|ffct)-[\w-]{16,}(?:\.[\w.-]{1,40})?|GR1348941[\w-]{16,}/g,
  ],
  ['Slack token', /xox[a-z](?:\.xox[a-z])?-[\w-]{10,}|xapp-[\w-]{10,}/g],
  ['Slack token', /(?<=hooks\.slack\.com\/(?:services|workflows|triggers)\/)[\w/]{16,}/g],
  ['npm token', /npm_[A-Za-z0-9]{30,}/g],
  ['AWS access key id', /(?:AKIA|ASIA|ABIA|ACCA|AGPA|AIDA|AROA|AIPA|ANPA|ANVA)[A-Z0-9]{16}/g],
  ['Google credential', /AIza[\w-]{30,}|GOCSPX-[\w-]{20,}|ya29\.[\w.-]{20,}|(?<!\w)1\/\/0[\w-]{30,}/g],
  ['Azure credential', /[\w~.]{3}\dQ~[\w~.-]{31,34}/g],
  ['Azure credential', /(?<=[?&;](?:sig|SharedAccessKey|AccountKey)=)[^\s&;"']{8,}/gi],
  [
    'service token',
    /sk-(?:ant-|proj-|svcacct-)?[\w-]{20,}|(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[\w+/=]{20,}/g,
  ],
  ['service token', /hf_[A-Za-z0-9]{30,}|do[opr]_v1_[a-f0-9]{40,}|dckr_(?:pat|oat)_[\w-]{20,}|pypi-AgE[\w-]{20,}/g],
  ['service token', /hv[sbr]\.[\w-]{20,}|SG\.[\w-]{16,}\.[\w-]{16,}|AGE-SECRET-KEY-1[A-Z0-9]{50,}|glsa_[\w]{30,}/g],
  ['password hash', /\$(?:2[abxy]|apr1|argon2id?|[156y])\$[./\w$=,+-]{20,}/g],
  ['JSON web token', /eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*){0,3}/g],
  ['bootstrap token', /(?<![\w.-])(?=[\d.]*[a-z])[a-z0-9]{6}\.[a-z0-9]{16}(?![\w-]|\.\w)/g],
];

/** An access key's id and, close to it, what can only be the key itself: 40 characters without a mark of their own. */
const awsPair = /((?:AKIA|ASIA)[A-Z0-9]{16}[^\n]{0,60}?(?<![A-Za-z0-9+/]))([A-Za-z0-9+/]{40})(?![A-Za-z0-9+/=])/g;
const bearer = /(\bBearer[\s:]\s*)([\w.~+/-]{8,}=*)/gi;
const basic = /(\bBasic\s+)([A-Za-z0-9+/_-]{6,}={0,2})/gi;
const curlUser = /((?<![\w.-])(?:-u|--user|--proxy-user)(?:["'],?\s*["']?|[ =]["']?))([^\s"',:]+:[^\s"']+)/g;
/**
 * Everything between `://` and the last `@` of the word, where it holds a password or is a long token by itself. What
 * follows the colon is no password but a port where it is a number and a path, as in a reference to an image.
 */
const urlUser =
  /((?<![a-z0-9+.-])[a-z][a-z0-9+.-]{0,30}:\/\/)([^\s:/@"'<>]{0,200}:(?!\d{1,5}[/?#])[^\s"'<>]{1,500}|[^\s:/@"'<>]{20,200})(?=@)/gi;
/** The end of a key whose beginning was cut off with the older lines of a log. */
const pemTail = /^(?:(?!-----BEGIN )[\s\S])*?(?=-----END [A-Z0-9 ]*PRIVATE KEY)/;
/** The data of a Secret printed as JSON, plain or inside another string. */
const secretData =
  /(\\*"kind\\*"\s*:\s*\\*"Secret\\*"[^\n]{0,2000}?\\*"(?:data|stringData)\\*"\s*:\s*)(\{[^{}]*\})|(\\*"(?:data|stringData)\\*"\s*:\s*)(\{[^{}]*\})(?=[^\n]{0,2000}?\\*"kind\\*"\s*:\s*\\*"Secret\\*")/g;

export function replaceShapes(text: string, take: Take): string {
  let shown = replaceKeys(text, take);
  if (shown.includes('Secret')) {
    shown = shown.replace(
      secretData,
      (_, before: string | undefined, data: string | undefined, other: string | undefined, last: string | undefined) =>
        `${before ?? other ?? ''}${take('Kubernetes secret', data ?? last ?? '')}`,
    );
  }
  shown = shown
    .replace(awsPair, (_, id: string, key: string) => `${id}${take('AWS secret access key', key)}`)
    .replace(urlUser, (_, scheme: string, user: string) => `${scheme}${take('basic auth', user)}`)
    .replace(curlUser, (_, flag: string, user: string) => `${flag}${take('basic auth', user)}`)
    .replace(basic, (all, word: string, encoded: string) =>
      Buffer.from(encoded, 'base64').includes(':') ? `${word}${take('basic auth', encoded)}` : all,
    );
  for (const [kind, pattern] of shapes) shown = shown.replace(pattern, (secret) => take(kind, secret));
  return shown.replace(bearer, (_, word: string, token: string) => `${word}${take('bearer token', token)}`);
}

function replaceKeys(text: string, take: Take): string {
  if (!text.includes('PRIVATE KEY')) return text;
  const shown = text.replace(
    privatePem,
    (_, begin: string, body: string, end: string) => `${begin}\n${take('private key', body)}\n${end}`,
  );
  const end = pemTail.exec(shown)?.[0];
  return end === undefined ? shown : `${take('private key', end)}\n${shown.slice(end.length)}`;
}
