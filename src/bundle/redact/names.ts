import type { SecretKind } from './kinds.ts';

/** How the name of a secret ends, in lower case: what is called so must not be shown. */
const secretEndings = [
  /(?:token|password|secret|credential)s?$/,
  /(?:passwd|passphrase|auth|authorization)$/,
  /(?:private|api|access|certificate)[-_]?key$/,
  /(?:key-data|\.dockerconfigjson|tls\.key|ca\.key)$/,
];

export function namesSecret(name: string | undefined): boolean {
  const lower = name?.toLowerCase() ?? '';
  return secretEndings.some((ending) => ending.test(lower));
}

/** What leaves the machine is judged by more names than what is shown on it; the first that fits tells the kind. */
const kindsByEnding: readonly (readonly [RegExp, SecretKind])[] = [
  [/(?:client-?key-?data|private[-_]?key|tls\.key|ca\.key)$/, 'private key'],
  [/certificate(?:-?authority)?-?data$/, 'certificate data'],
  [/(?:authorization|cookie)$/, 'authorization header'],
  [/(?:passwords?|passwd|passphrase|passcode|pwd|requirepass|rootpw|(?:^|[_.-])(?:pass|pw))$/, 'password'],
  [/secret[-_]?access[-_]?key$/, 'AWS secret access key'],
  [/(?:account[-_]?key|shared[-_]?access[-_]?key|connection[-_]?string|sharedaccesssignature)$/, 'Azure credential'],
  [/private[-_]?key[-_]?id$/, 'Google credential'],
  [/tokens?$/, 'token'],
  [/(?:secret|shared|encryption|signing|hmac|licen[cs]e|master|storage|service)[-_]?key$/, 'secret'],
  [/(?:secretstring|(?:^|[_.-])(?:creds|psk))$/, 'secret'],
];

/** The kind of secret that a field, variable, flag or header of this name holds; null where it holds none. */
export function kindOfName(name: string): SecretKind | null {
  const lower = name.toLowerCase();
  const found = kindsByEnding.find(([ending]) => ending.test(lower));
  if (found !== undefined) return found[1];
  return namesSecret(lower) ? 'secret' : null;
}

/** Values that give nothing away. */
export const harmless = /^["']?(?:true|false|null|nil|<nil>|none|~|\d|\{\}|\[\])?["']?,?$/i;
