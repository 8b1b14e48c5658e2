import { createPublicKey } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { describeCertificate, publicKeySha256OfPem, splitBundle } from './certificates.ts';
import { type Authority, type IssuedCertificate, issueCertificate, makeAuthority } from './testing/issue.ts';

let ca: Authority;
let leaf: IssuedCertificate;

beforeAll(async () => {
  ca = await makeAuthority({ commonName: 'kubernetes' });
  leaf = await issueCertificate({
    ca,
    commonName: 'kube-apiserver',
    organization: 'system:masters',
    dnsNames: ['idp-mvp-control-plane', 'localhost'],
    ipAddresses: ['172.18.0.2', 'fc00:f853:ccd:e793::3', '127.0.0.1'],
    notBefore: new Date('2026-01-03T04:05:06Z'),
    notAfter: new Date('2027-01-03T04:05:06Z'),
  });
});

test('describes a leaf: names, times, addresses', () => {
  expect(describeCertificate(leaf.certificatePem)).toEqual({
    ok: true,
    value: {
      subject: 'kube-apiserver',
      issuer: 'kubernetes',
      notBefore: '2026-01-03T04:05:06.000Z',
      notAfter: '2027-01-03T04:05:06.000Z',
      dnsNames: ['idp-mvp-control-plane', 'localhost'],
      ipAddresses: ['172.18.0.2', 'fc00:f853:ccd:e793::3', '127.0.0.1'],
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      publicKeySha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      isCa: false,
    },
  });
});

test('describes the first certificate of a bundle, keys beside it or not', () => {
  const bundle = `${leaf.privateKeyPem}${leaf.certificatePem}${ca.certificatePem}`;
  expect(describeCertificate(Buffer.from(bundle))).toEqual(describeCertificate(leaf.certificatePem));
  expect(splitBundle(bundle)).toHaveLength(2);
});

test('tells an authority from a leaf', () => {
  expect(describeCertificate(ca.certificatePem)).toMatchObject({ ok: true, value: { isCa: true } });
});

test('reads times after 2049, which certificates spell in another way', async () => {
  const late = await issueCertificate({ ca, commonName: 'late', notAfter: new Date('2126-02-09T00:00:00Z') });
  expect(describeCertificate(late.certificatePem)).toMatchObject({ value: { notAfter: '2126-02-09T00:00:00.000Z' } });
});

test('takes a name with a comma for one name', async () => {
  const name = 'a, IP Address:10.0.0.1';
  const tricky = await issueCertificate({ ca, commonName: 'tricky', dnsNames: [name, 'b'], ipAddresses: ['::1'] });
  expect(describeCertificate(tricky.certificatePem)).toMatchObject({
    value: { dnsNames: [name, 'b'], ipAddresses: ['::1'] },
  });
});

test('a certificate without alternative names has none', async () => {
  const bare = await issueCertificate({ ca, commonName: 'bare' });
  expect(describeCertificate(bare.certificatePem)).toMatchObject({ value: { dnsNames: [], ipAddresses: [] } });
});

describe('what is no certificate gives a reason', () => {
  test.each([
    ['nothing', '', 'empty'],
    ['zero bytes', '\0'.repeat(1090), '1090 zero bytes'],
    ['other text', 'hello', 'no PEM certificate'],
    ['a broken body', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n', 'cannot be decoded'],
  ])('%s', (_, pem, reason) => {
    expect(describeCertificate(pem)).toEqual({ ok: false, reason: expect.stringContaining(reason) });
  });

  test('a private key alone, which is not repeated', () => {
    const answer = describeCertificate(leaf.privateKeyPem);
    expect(answer.ok).toBe(false);
    expect(JSON.stringify(answer)).not.toContain(leaf.privateKeyPem.split('\n')[1]);
  });
});

test('a public key printed by openssl matches its certificate, and a renewal keeps it', async () => {
  const renewed = await issueCertificate({ ca, commonName: 'kube-apiserver', keys: leaf.keys });
  const pem = createPublicKey(leaf.privateKeyPem).export({ type: 'spki', format: 'pem' });
  const printed = publicKeySha256OfPem(pem);
  const hash = printed.ok ? printed.value : '';
  expect(hash).toMatch(/^[0-9a-f]{64}$/);
  expect(describeCertificate(leaf.certificatePem)).toMatchObject({ value: { publicKeySha256: hash } });
  expect(describeCertificate(renewed.certificatePem)).toMatchObject({ value: { publicKeySha256: hash } });
  expect(describeCertificate(ca.certificatePem)).not.toMatchObject({ value: { publicKeySha256: hash } });
  expect(publicKeySha256OfPem('garbage').ok).toBe(false);
});
