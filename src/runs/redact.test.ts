import { generateKeyPairSync } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redact } from './redact.ts';

const makeKey = (type: 'pkcs1' | 'pkcs8') =>
  generateKeyPairSync('rsa', {
    modulusLength: 1024,
    privateKeyEncoding: { type, format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
const { privateKey: pem, publicKey } = makeKey('pkcs1');
const der = Buffer.from(pem.replace(/-----.*-----|\s/g, ''), 'base64');
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const wrap = (text: string, indentation: string): string => text.replace(/.{64}/g, `$&\n${indentation}`);
const indent = (text: string, by: string): string => text.replace(/^/gm, by);

describe('redact', () => {
  const secret = 'hunter2-Sesame.42';
  it.each([
    `token: ${secret}`,
    `  "token": "${secret}",`,
    `{"user":{"name":"a","token":"${secret}"}}`,
    `users: [{name: a, user: {token: ${secret}}}]`,
    `- token: ${secret}`,
    `- --token=${secret}`,
    `- "--token=${secret}"`,
    `client-key-data: ${secret}`,
    `idp-access-token: '${secret}'`,
    `PASSWORD=${secret}`,
    `password : "with, commas } and ${secret}"`,
    `password: |\n  first\n  ${secret}\nnext: value`,
    `password: >-\n\n  first\n\n  ${secret}`,
    `password:\n  ${secret}`,
    `a:\n  password: "first\n    ${secret}"\n`,
    `"password": "first\n${secret}"\n`,
    `tokens:\n- ${secret}\n- other`,
    `bootstrapTokens:\n- groups: [a]\n  token: ${secret}\n  ttl: 24h`,
    `certificateKey: ${secret}`,
    `- name: GITHUB_TOKEN\n  value: ${secret}`,
    `- name: GITHUB_TOKEN\n  value: |\n    ${secret}`,
    `env: [{name: GITHUB_TOKEN, value: ${secret}}]`,
    `{\n  "name": "DB_PASSWORD",\n  "value": "${secret}"\n}`,
    `Authorization: Bearer ${secret}`,
    `curl -H 'X: Bearer ${secret}'`,
    `https://ada:${secret}@example.org/`,
    `"auth": "${secret}"`,
    `eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ${secret.replace('.', '')}.c2ln`,
    `password: ${secret}\nelsewhere ${secret} again`,
    `password: ${secret}\ndata:\n  x: ${base64(secret)}`,
    `password: ${secret}\ndata:\n  x: ${base64(`${secret}\n`)}`,
    `aes:\n  keys:\n  - name: k\n    secret: ${secret}`,
  ])('hides the secret in %j', (text) => {
    const shown = redact(text);
    expect(shown).toContain('<redacted>');
    for (const piece of [secret, 'hunter2', 'Sesame', base64(secret).slice(0, 16)]) expect(shown).not.toContain(piece);
  });

  it.each([
    ['PEM', pem],
    ['indented PEM', indent(pem, '    ')],
    ['PEM with Windows line ends', pem.replaceAll('\n', '\r\n')],
    ['PEM in a JSON string', JSON.stringify({ data: pem })],
    ['PEM without an end', pem.split('-----END')[0] ?? ''],
    ['base64 of PEM', `data: ${base64(pem)}`],
    ['base64 of PEM, in lines', `data: |\n    ${wrap(base64(pem), '    ')}\nnext: a`],
    [
      'base64 of a certificate and its key',
      `data: ${base64(`-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n${pem}`)}`,
    ],
    ['base64 of DER', `data: ${der.toString('base64')}`],
    ['base64 of DER, in lines', `  ${wrap(der.toString('base64'), '  ')}`],
  ])('hides a private key: %s', (_, text) => {
    const shown = redact(`before\n${text}\nafter`);
    expect(shown).toContain('<redacted>');
    const lines = [...pem.split('\n').slice(1, -2), ...(base64(pem).match(/.{64}/g) ?? [])];
    expect(lines.length).toBeGreaterThan(20);
    for (const line of lines) expect(shown).not.toContain(line.slice(0, 32));
    expect(shown).toContain('before');
  });

  it.each([
    publicKey,
    `certificate-authority-data: ${base64(publicKey.repeat(4))}\nserver: https://idp-mvp-control-plane:6443\n`,
    'tokenTTL: 24h\nserviceAccountName: a\nsecretName: b\n',
    'automountServiceAccountToken: false\nenable-bootstrap-token-auth: "true"\ntoken: ""\npassword: null\n',
    '- --service-account-signing-key-file=/etc/kubernetes/pki/sa.key\n- --tls-private-key-file=/x.key\n',
    'token:\nnext: value\n',
    'https://127.0.0.1:6443/a@b\n',
  ])('leaves %j as it is', (text) => {
    expect(redact(text)).toBe(text);
  });

  it('keeps what follows a secret', () => {
    expect(redact('a: 1\nuser:\n  password: |\n    x\n\n    y\n\n  name: b\nc: 2\n')).toBe(
      'a: 1\nuser:\n  password: <redacted>\n\n  name: b\nc: 2\n',
    );
  });

  it('lets no planted secret through, wherever it stands', () => {
    const word = fc.stringMatching(/^[a-zA-Z0-9]{24,40}$/);
    const filler = fc.array(fc.constantFrom('a: 1', 'b:', '  c: text', '- d', '', '  - e: f', '}', '{'), {
      maxLength: 6,
    });
    const plant = fc.constantFrom(
      (value: string) => `token: ${value}`,
      (value: string) => `    client-key-data: ${base64(value)}`,
      (value: string) => `{"password":"${value}"}`,
      (value: string) => `-----BEGIN PRIVATE KEY-----\n${value}\n-----END PRIVATE KEY-----`,
      (value: string) => `- name: A_SECRET\n  value: ${value}`,
    );
    fc.assert(
      fc.property(word, filler, plant, filler, plant, filler, (value, before, first, between, second, after) => {
        const text = [
          ...before,
          first(value),
          ...between,
          second(value),
          ...after,
          `again ${value}`,
          base64(value),
        ].join('\n');
        const shown = redact(text);
        expect(shown).not.toContain(value);
        expect(shown).not.toContain(base64(value).replace(/=+$/, ''));
      }),
    );
  });

  it('is through with long lines at once', () => {
    const long = `${'a.-'.repeat(30_000)}\n${'A'.repeat(200_000)}\ntoken-`.repeat(2);
    expect(redact(long)).toHaveLength(long.length);
  }, 5000);
});
