import {
  createHash,
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto';
import { isIP } from 'node:net';
import { bits, boolean, identifier, integer, octets, sequence, set, tag, time, utf8 } from './der.ts';

export interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

/** Who signs: a certificate authority with its key. */
export interface Issuer {
  readonly commonName: string;
  readonly privateKey: KeyObject;
  /** Its subject key identifier. */
  readonly keyId: Buffer;
}

export interface CertificateRequest {
  readonly commonName: string;
  readonly organization?: string;
  readonly keys: KeyPair;
  /** Without one the certificate signs itself. */
  readonly issuer?: Issuer;
  readonly isAuthority?: boolean;
  readonly usages?: readonly ('server' | 'client')[];
  readonly dnsNames?: readonly string[];
  readonly ipAddresses?: readonly string[];
  /** Milliseconds since the epoch. */
  readonly notBefore: number;
  readonly notAfter: number;
}

const ecdsaWithSha256 = sequence(identifier('1.2.840.10045.4.3.2'));
const usageIdentifiers = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2' };

export function makeKeys(): KeyPair {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

/** Throws an Error where the PEM texts are no certificate and no key. */
export function readIssuer(certificatePem: string, privateKeyPem: string): Issuer {
  const { subject, publicKey } = new X509Certificate(certificatePem);
  return describeIssuer(/^CN=(.*)$/m.exec(subject)?.[1] ?? '', {
    privateKey: createPrivateKey(privateKeyPem),
    publicKey,
  });
}

export function describeIssuer(commonName: string, keys: KeyPair): Issuer {
  const keyId = keyIdOf(keys.publicKey.export({ type: 'spki', format: 'der' }));
  return { commonName, privateKey: keys.privateKey, keyId };
}

/** As kubeadm writes it with `encryptionAlgorithm: ECDSA-P256`. */
export function printPrivateKey(key: KeyObject): string {
  return key.export({ type: 'sec1', format: 'pem' }).toString();
}

export function printPublicKey(key: KeyObject): string {
  return key.export({ type: 'spki', format: 'pem' }).toString();
}

/** A certificate as kubeadm's own code makes them: the same extensions in the same order. PEM text. */
export function issueCertificate(request: CertificateRequest): string {
  const { keys, issuer } = request;
  const subject = encodeName(request.commonName, request.organization);
  const publicKey = keys.publicKey.export({ type: 'spki', format: 'der' });
  const body = sequence(
    tag(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([0x10]), randomBytes(7)])),
    ecdsaWithSha256,
    issuer === undefined ? subject : encodeName(issuer.commonName, undefined),
    sequence(time(request.notBefore), time(request.notAfter)),
    subject,
    publicKey,
    tag(0xa3, sequence(...listExtensions(request, publicKey))),
  );
  const signature = sign('sha256', body, issuer?.privateKey ?? keys.privateKey);
  const der = sequence(body, ecdsaWithSha256, bits(signature));
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

function listExtensions(request: CertificateRequest, publicKey: Buffer): Buffer[] {
  const isAuthority = request.isAuthority === true;
  // digitalSignature, keyEncipherment, and keyCertSign for authorities.
  const keyUsage = isAuthority ? bits(Buffer.from([0xa4]), 2) : bits(Buffer.from([0xa0]), 5);
  const usages = (request.usages ?? []).map((usage) => identifier(usageIdentifiers[usage]));
  const names = [
    ...(request.dnsNames ?? []).map((name) => tag(0x82, Buffer.from(name))),
    ...(request.ipAddresses ?? []).map((address) => tag(0x87, encodeAddress(address))),
  ];
  return [
    extension('2.5.29.15', keyUsage, true),
    ...(usages.length === 0 ? [] : [extension('2.5.29.37', sequence(...usages))]),
    extension('2.5.29.19', isAuthority ? sequence(boolean(true)) : sequence(), true),
    ...(isAuthority ? [extension('2.5.29.14', octets(keyIdOf(publicKey)))] : []),
    ...(request.issuer === undefined ? [] : [extension('2.5.29.35', sequence(tag(0x80, request.issuer.keyId)))]),
    ...(names.length === 0 ? [] : [extension('2.5.29.17', sequence(...names))]),
  ];
}

function extension(id: string, value: Buffer, critical = false): Buffer {
  return sequence(identifier(id), ...(critical ? [boolean(true)] : []), octets(value));
}

function encodeName(commonName: string, organization: string | undefined): Buffer {
  const part = (id: string, value: string) => set(sequence(identifier(id), utf8(value)));
  return sequence(...(organization === undefined ? [] : [part('2.5.4.10', organization)]), part('2.5.4.3', commonName));
}

/** SHA-1 over the bits of the key itself: for P-256 the last 65 bytes of its description. */
function keyIdOf(publicKeyDer: Buffer): Buffer {
  return createHash('sha1').update(publicKeyDer.subarray(-65)).digest();
}

function encodeAddress(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number));
  // The URL parser leaves one spelling: lower case, the longest row of zeros shortened.
  const [head = '', tail = ''] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === '' ? [] : tail.split(':');
  const groups = [...left, ...Array.from({ length: 8 - left.length - right.length }, () => '0'), ...right];
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex');
}
