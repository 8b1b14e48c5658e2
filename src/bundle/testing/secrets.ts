import { generateKeyPairSync } from 'node:crypto';
import * as fc from 'fast-check';

/** A secret as it stands somewhere: `core` is what nobody may read, `text` what tells that it is a secret. */
export interface Planted {
  readonly kind: string;
  readonly core: string;
  readonly text: string;
}

const lower = 'abcdefghijklmnopqrstuvwxyz';
const upper = lower.toUpperCase();
const digits = '0123456789';
const alphanumeric = `${lower}${upper}${digits}`;

function chars(alphabet: string, length: number): fc.Arbitrary<string> {
  return fc.string({ unit: fc.constantFrom(...alphabet.split('')), minLength: length, maxLength: length });
}

const keys = [
  generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({ type: 'pkcs1', format: 'pem' }),
  generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'sec1', format: 'pem' }),
  generateKeyPairSync('ed25519').privateKey.export({
    type: 'pkcs8',
    format: 'pem',
    cipher: 'aes-256-cbc',
    passphrase: 'x',
  }),
].map(String);

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const password = fc.oneof(chars(alphanumeric, 12), chars(`${alphanumeric}!#%*+?^`, 16), chars(lower, 14));
const token = chars(alphanumeric, 36);

type Make = (core: string) => string;
function named(kind: string, core: fc.Arbitrary<string>, ...makes: Make[]): fc.Arbitrary<Planted> {
  return fc.tuple(core, fc.constantFrom(...makes)).map(([value, make]) => ({ kind, core: value, text: make(value) }));
}

const alone: Make = (core) => core;

/** Every kind of secret that a bundle must not hold. */
export const plantedSecrets: Readonly<Record<string, fc.Arbitrary<Planted>>> = {
  privateKey: fc
    .constantFrom(...keys)
    .map((pem) => ({ kind: 'private key', core: pem.split('\n')[1] ?? '', text: pem })),
  privateKeyInJson: fc.constantFrom(...keys).map((pem) => ({
    kind: 'private key',
    core: pem.split('\n')[1] ?? '',
    text: JSON.stringify({ type: 'service_account', private_key: pem, client_email: 'ci@example.org' }),
  })),
  privateKeyDer: fc.constantFrom(...keys.slice(0, 3)).map((pem) => {
    const body = pem.split('\n').slice(1, -2).join('');
    return { kind: 'private key', core: body.slice(0, 60), text: body };
  }),
  openSshKey: named(
    'private key',
    chars(alphanumeric, 64),
    (core) => `-----BEGIN OPENSSH PRIVATE KEY-----\n${core}\n${core}\n-----END OPENSSH PRIVATE KEY-----`,
  ),
  certificateData: named(
    'certificate data',
    chars(alphanumeric, 60),
    (core) => `client-certificate-data: ${core}`,
    (core) => `{"certificate-authority-data":"${core}"}`,
    (core) => `client-key-data: ${core}`,
  ),
  bearer: named(
    'bearer token',
    chars(alphanumeric, 24),
    (core) => `Bearer ${core}`,
    (core) => `Authorization: Bearer ${core}`,
  ),
  webToken: fc.tuple(chars(alphanumeric, 30), chars(`${alphanumeric}-_`, 40)).map(([claims, signature]) => {
    const core = `eyJhbGciOiJSUzI1NiJ9.eyJ${claims}.${signature}`;
    return { kind: 'JSON web token', core: claims, text: core };
  }),
  bootstrapToken: fc.tuple(chars(lower, 6), chars(`${lower}${digits}`, 16)).map(([id, secret]) => ({
    kind: 'bootstrap token',
    core: `${id}.${secret}`,
    text: `${id}.${secret}`,
  })),
  password: named(
    'password',
    password,
    (core) => `password=${core}`,
    (core) => `DB_PASSWORD=${core}`,
    (core) => `{"user":"ada","password":"${core}","host":"172.18.0.2"}`,
    (core) => `password: ${core}`,
    (core) => `passwd: "${core}"`,
    (core) => `--password ${core}`,
    (core) => `--password=${core}`,
    (core) => `["--password","${core}"]`,
    (core) => `err="cannot log in: \\"password\\":\\"${core}\\""`,
    (core) => `env: [{name: DB_PASSWORD, value: ${core}}]`,
    (core) => `requirepass=${core}`,
  ),
  passwordInWords: named(
    'password',
    chars(alphanumeric, 12).map((rest) => `${rest}7`),
    (core) => `authentication failed for user ada with password "${core}"`,
    (core) => `the password is ${core}`,
    (core) => `Password for ada: ${core}`,
    (core) => `machine x.example.org login ada password ${core}`,
    (core) => `<password>${core}</password>`,
    (core) => `sshpass -p ${core} ssh ada@build.example.org`,
    (core) => `docker login -u ada -p '${core}' registry.example.org`,
    (core) => `mysql -uroot -p${core} -h db`,
  ),
  passwordInUrl: named(
    'basic auth',
    chars(alphanumeric, 12),
    (core) => `https://ada:${core}@registry.example.org/v2/`,
    (core) => `redis://:${core}@172.18.0.9:6379/0`,
    (core) => `postgres://ada:p@${core}@db/x`,
    (core) => `curl -u ada:${core} https://172.18.0.2`,
    (core) => `Failed to pull image "ada:${core}@registry.example.org/app:1.2"`,
    (core) => `dsn="root:${core}@tcp(172.18.0.9:3306)/shop"`,
    (core) => `https://a.example.org/?next=https%3A%2F%2Fada%3A${core}%40b.example.org%2F`,
  ),
  basicHeader: chars(alphanumeric, 12).map((core) => ({
    kind: 'authorization header',
    core,
    text: `Authorization: Basic ${base64(`ada:${core}`)}`,
  })),
  awsId: named(
    'AWS access key id',
    chars(`${upper}${digits}`, 16).map((rest) => `AKIA${rest}`),
    alone,
  ),
  awsSecret: named(
    'AWS secret access key',
    chars(`${alphanumeric}+`, 40),
    (core) => `aws_secret_access_key = ${core}`,
    (core) => `AWS_SECRET_ACCESS_KEY=${core}`,
    (core) => `{"SecretAccessKey": "${core}"}`,
    (core) => `AKIAABCDEFGHIJKLMNOP:${core}`,
  ),
  azure: named(
    'Azure credential',
    chars(alphanumeric, 44),
    (core) => `DefaultEndpointsProtocol=https;AccountName=a;AccountKey=${core}==;EndpointSuffix=core.windows.net`,
    (core) => `Endpoint=sb://x.example.org/;SharedAccessKeyName=r;SharedAccessKey=${core}=`,
    (core) => `AZURE_CLIENT_SECRET=${core}`,
    (core) => `https://a.example.org/c?sv=2022&sig=${core}%3D`,
  ),
  azureShape: named(
    'Azure credential',
    chars(alphanumeric, 34).map((rest) => `aB38Q~${rest}`),
    alone,
  ),
  google: named(
    'Google credential',
    token.map((rest) => `AIza${rest}`),
    alone,
  ),
  googleKeyId: named('Google credential', chars('0123456789abcdef', 40), (core) => `{"private_key_id": "${core}"}`),
  github: named(
    'GitHub token',
    token.map((rest) => `ghp_${rest}`),
    alone,
    (core) => `https://${core}@github.com/a/b`,
  ),
  githubFine: named(
    'GitHub token',
    chars(`${alphanumeric}_`, 60).map((rest) => `github_pat_${rest}`),
    alone,
  ),
  gitlab: named(
    'GitLab token',
    chars(`${alphanumeric}-_`, 20).map((rest) => `glpat-${rest}`),
    alone,
  ),
  slack: named(
    'Slack token',
    chars(`${alphanumeric}-`, 40).map((rest) => `xoxb-${rest}`),
    alone,
  ),
  npm: named(
    'npm token',
    token.map((rest) => `npm_${rest}`),
    alone,
    (core) => `//registry.example.org/:_authToken=${core}`,
  ),
  dockerAuth: chars(alphanumeric, 12).map((core) => ({
    kind: 'secret',
    core,
    text: JSON.stringify({ auths: { 'https://index.example.org/v1/': { auth: base64(`ada:${core}`) } } }),
  })),
  kubernetesSecret: chars(alphanumeric, 12).map((core) => ({
    kind: 'Kubernetes secret',
    core,
    text: JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' }, data: { a: base64(core) } }),
  })),
  kubernetesLiteral: named(
    'Kubernetes secret',
    chars(alphanumeric, 12),
    (core) => `kubectl create secret generic a --from-literal=a=${core}`,
  ),
  presigned: named(
    'service token',
    chars('0123456789abcdef', 64),
    (core) => `https://b.example.org/o?X-Amz-Expires=60&X-Amz-Signature=${core}`,
    (core) => `https://b.example.org/o?X-Goog-Signature=${core}&x=1`,
  ),
  secretNames: named(
    'secret',
    chars(alphanumeric, 20),
    (core) => `client_secret=${core}`,
    (core) => `X-Api-Key: ${core}`,
    (core) => `--certificate-key ${core}`,
    (core) => `token=${core}`,
    (core) => `https://172.18.0.2:6443/api?token=${core}&watch=1`,
    (core) => `LICENSE_KEY=${core}`,
    (core) => `jwt-signing-key: ${core}`,
    (core) => `{"SecretString":"${core}"}`,
    (core) => `wifi.psk=${core}`,
  ),
};

export const encodings: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  base64,
  base64url: (text) => Buffer.from(text).toString('base64url'),
  twice: (text) => base64(base64(text)),
  wrapped: (text) => base64(text).replace(/.{64}(?=.)/g, '$&\n'),
  inString: (text) => JSON.stringify({ message: text }),
  inUrl: (text) => encodeURIComponent(text),
};

/** Whether somebody who decodes every piece of base64 in a text, again and again, comes upon the secret. */
export function reveals(text: string, core: string, depth = 3): boolean {
  if (text.includes(core)) return true;
  if (depth === 0) return false;
  const joined = text.replace(/(?<=[A-Za-z0-9+/_-]{57,})(?:\\n|\n)[ \t]*(?=[A-Za-z0-9+/_-])/g, '');
  return [...joined.matchAll(/[A-Za-z0-9+/_-]{8,}/g)].some(([run]) =>
    [0, 1, 2, 3].some((skipped) => {
      const decoded = Buffer.from(run.slice(skipped).replaceAll('-', '+').replaceAll('_', '/'), 'base64').toString(
        'latin1',
      );
      return decoded.includes(core) || (/[\w+/=-]{16}/.test(decoded) && reveals(decoded, core, depth - 1));
    }),
  );
}
