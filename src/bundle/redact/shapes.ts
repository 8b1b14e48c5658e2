import { privatePem } from './private-keys.ts';
import type { SecretKind, Take } from './kinds.ts';
import { kindOfName } from './names.ts';

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
  ['service token', /(?<=[?&;]X-(?:Amz|Goog)-Signature=)[^\s&;"']{8,}/gi],
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
/**
 * The same without `://`, as references to images and data source names of Go have it. A tag before a digest is none,
 * and neither is a package before its version.
 */
const bareUser =
  /(?<![\w.:/@%+-])([A-Za-z][\w.-]{0,63}:[^\s:@/"'<>]{4,200})(?=@(?!sha\d{3}:)(?:[A-Za-z][\w-]*(?:\.[\w-]+|[:/(])|(?:\d{1,3}\.){3}\d))/g;
/** What command lines give as a bare `-p`. */
const loginFlag = /(\b(?:sshpass|login)\b[^\n]{0,160}?[\s"']-p(?:=|["']?,?[ \t]*["']?))([^\s"',]{1,200})/g;
const mysqlFlag = /(\bmysql\w{0,20}\b[^\n]{0,160}?[\s"']-p)([^\s"',]{1,200})/g;
const fromLiteral = /(--from-literal(?:=|["']?,?[ \t]*)["']?[\w.-]{1,120}=)([^\s"']{1,1000})/g;
/** `with password "x"`, `password is x9`, `Password for ada: x9`; a word without a digit is rather a part of the sentence. */
const quotedPassword = /(\bpass(?:word|wd|phrase)\s+(?:is\s+)?(\\*["'`]))([^\n]{1,200}?)(?=\2)/gi;
const spokenPassword = /(\bpass(?:word|phrase)(?: for [^\s:]{1,64})?(?: is |: ))((?=\S{0,200}\d)\S{1,200})/gi;
const netrcPassword = /(\blogin[ \t]+\S{1,100}[ \t]+password[ \t]+)(\S{1,200})/g;
const element = /(<([\w.:-]{1,80})>)([^<>\n]{1,500})(?=<\/\2>)/g;
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
    .replace(bareUser, (user) => take('basic auth', user))
    .replace(loginFlag, (_, before: string, password: string) => `${before}${take('password', password)}`)
    .replace(mysqlFlag, (_, before: string, password: string) => `${before}${take('password', password)}`)
    .replace(fromLiteral, (_, before: string, value: string) => `${before}${take('Kubernetes secret', value)}`)
    .replace(quotedPassword, (_, before: string, _quote: string, word: string) => `${before}${take('password', word)}`)
    .replace(spokenPassword, (_, before: string, word: string) => `${before}${take('password', word)}`)
    .replace(netrcPassword, (_, before: string, word: string) => `${before}${take('password', word)}`)
    .replace(element, (all, begin: string, name: string, value: string) => {
      const kind = kindOfName(name);
      return kind === null ? all : `${begin}${take(kind, value)}`;
    })
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
