/** Certificates for tests, made when the test runs: nothing to expire in the repository, no key checked in. */

import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

export interface IssuedCertificate {
  readonly certificatePem: string;
  /** PKCS #8. */
  readonly privateKeyPem: string;
  readonly keys: webcrypto.CryptoKeyPair;
}

export interface Authority extends IssuedCertificate {
  readonly commonName: string;
}

export interface AuthorityRequest {
  readonly commonName?: string;
  /** An hour ago by default. */
  readonly notBefore?: Date;
  /** In ten years by default. */
  readonly notAfter?: Date;
}

export interface CertificateRequest {
  readonly ca: Authority;
  readonly commonName: string;
  readonly organization?: string;
  readonly dnsNames?: readonly string[];
  readonly ipAddresses?: readonly string[];
  /** An hour ago by default. */
  readonly notBefore?: Date;
  /** In one year by default, as kubeadm's. */
  readonly notAfter?: Date;
  /** Keys to certify, as in a renewal; new ones by default. */
  readonly keys?: webcrypto.CryptoKeyPair;
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

export async function makeAuthority(request: AuthorityRequest = {}): Promise<Authority> {
  const commonName = request.commonName ?? 'kubernetes';
  const keys = await makeKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned(
    {
      name: [{ CN: [commonName] }],
      notBefore: request.notBefore ?? new Date(Date.now() - HOUR),
      notAfter: request.notAfter ?? new Date(Date.now() + 3650 * DAY),
      signingAlgorithm: ALGORITHM,
      keys,
      extensions: [
        new x509.BasicConstraintsExtension(true, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.digitalSignature, true),
        await x509.SubjectKeyIdentifierExtension.create(keys.publicKey, false, webcrypto),
      ],
    },
    webcrypto,
  );
  return { commonName, keys, certificatePem: toPem(certificate), privateKeyPem: await exportPrivateKey(keys) };
}

/** A leaf for servers and clients alike. */
export async function issueCertificate(request: CertificateRequest): Promise<IssuedCertificate> {
  const keys = request.keys ?? (await makeKeys());
  const names: x509.JsonGeneralNames = [
    ...(request.dnsNames ?? []).map((value) => ({ type: 'dns' as const, value })),
    ...(request.ipAddresses ?? []).map((value) => ({ type: 'ip' as const, value })),
  ];
  const organization = request.organization === undefined ? [] : [{ O: [request.organization] }];
  const certificate = await x509.X509CertificateGenerator.create(
    {
      subject: [...organization, { CN: [request.commonName] }],
      issuer: new x509.X509Certificate(request.ca.certificatePem).subject,
      notBefore: request.notBefore ?? new Date(Date.now() - HOUR),
      notAfter: request.notAfter ?? new Date(Date.now() + 365 * DAY),
      signingAlgorithm: ALGORITHM,
      publicKey: keys.publicKey,
      signingKey: request.ca.keys.privateKey,
      extensions: [
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth, x509.ExtendedKeyUsage.clientAuth]),
        ...(names.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension(names)]),
      ],
    },
    webcrypto,
  );
  return { keys, certificatePem: toPem(certificate), privateKeyPem: await exportPrivateKey(keys) };
}

function makeKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

function toPem(certificate: x509.X509Certificate): string {
  return `${certificate.toString('pem')}\n`;
}

async function exportPrivateKey(keys: webcrypto.CryptoKeyPair): Promise<string> {
  const bytes = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return `${x509.PemConverter.encode(bytes, 'PRIVATE KEY')}\n`;
}
