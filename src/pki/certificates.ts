import { createHash, createPublicKey, X509Certificate, type KeyObject } from 'node:crypto';
import { isIP } from 'node:net';
import { normalizeAddress } from '../manifests/address.ts';
import { type Observed, seen, unseen } from '../facts/observed.ts';

/** What a certificate says in public; it holds no secret. */
export interface CertificateDescription {
  /** Common name of the subject; empty where there is none. */
  readonly subject: string;
  /** Common name of the issuer; empty where there is none. */
  readonly issuer: string;
  /** ISO 8601, UTC. */
  readonly notBefore: string;
  /** ISO 8601, UTC. */
  readonly notAfter: string;
  readonly dnsNames: readonly string[];
  /** In the normal form of `normalizeAddress`. */
  readonly ipAddresses: readonly string[];
  /** SHA-256 of the certificate's DER bytes, lower-case hex without colons. */
  readonly sha256: string;
  /** SHA-256 of the public key's SubjectPublicKeyInfo in DER, lower-case hex. */
  readonly publicKeySha256: string;
  readonly isCa: boolean;
}

/** Describes the first certificate of a PEM text or file; private keys beside it are not looked at. */
export function describeCertificate(pem: string | Uint8Array): Observed<CertificateDescription> {
  const certificate = readFirstCertificate(pem);
  if (!certificate.ok) return certificate;
  try {
    return seen(describe(certificate.value));
  } catch (error) {
    return unseen(`the certificate cannot be understood: ${messageOf(error)}`);
  }
}

/**
 * SHA-256 of the first certificate's DER bytes, hex, without understanding it: enough to compare two. Undefined where
 * there is no certificate.
 */
export function fingerprintOfPem(pem: string | Uint8Array): string | undefined {
  const [first] = splitBundle(pem);
  if (first === undefined) return undefined;
  const der = Buffer.from(first.replace(/-----[^-]+-----/g, ''), 'base64');
  return createHash('sha256').update(der).digest('hex');
}

/** Every certificate of a PEM bundle, in order, as single PEM texts. */
export function splitBundle(pem: string | Uint8Array): string[] {
  return toText(pem).match(CERTIFICATE_BLOCKS) ?? [];
}

/**
 * SHA-256 (lower-case hex) over the SubjectPublicKeyInfo of a PEM public key, such as `openssl pkey -pubout` prints.
 * Equal to a certificate's `publicKeySha256` where the two belong together.
 */
export function publicKeySha256OfPem(publicKeyPem: string | Uint8Array): Observed<string> {
  const block = /-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/.exec(toText(publicKeyPem))?.[0];
  if (block === undefined) return unseen(explainNoPem(publicKeyPem, 'public key'));
  try {
    return seen(hashPublicKey(createPublicKey(block)));
  } catch (error) {
    return unseen(`the PEM public key cannot be decoded: ${messageOf(error)}`);
  }
}

const CERTIFICATE_BLOCKS = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

function readFirstCertificate(pem: string | Uint8Array): Observed<X509Certificate> {
  const block = splitBundle(pem)[0];
  if (block === undefined) return unseen(explainNoPem(pem, 'certificate'));
  try {
    return seen(new X509Certificate(block));
  } catch (error) {
    return unseen(`the PEM certificate cannot be decoded: ${messageOf(error)}`);
  }
}

function describe(certificate: X509Certificate): CertificateDescription {
  const { subject, issuer } = certificate.toLegacyObject();
  const names = parseSubjectAltName(certificate.subjectAltName ?? '');
  return {
    subject: readCommonName(subject),
    issuer: readCommonName(issuer),
    notBefore: toIsoTime(certificate.validFrom),
    notAfter: toIsoTime(certificate.validTo),
    dnsNames: names.filter((name) => name.kind === 'DNS').map((name) => name.value),
    ipAddresses: names
      .filter((name) => name.kind === 'IP Address' && isIP(name.value) !== 0)
      .map((name) => normalizeAddress(name.value)),
    sha256: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
    publicKeySha256: hashPublicKey(certificate.publicKey),
    isCa: certificate.ca,
  };
}

/**
 * Node prints `DNS:a, IP Address:10.0.0.1`, and a name that holds a comma, a quote or a control character as a JSON
 * string: `DNS:"a, IP Address:10.0.0.1"` is one name and must not be read as two.
 */
function parseSubjectAltName(text: string): { readonly kind: string; readonly value: string }[] {
  const names: { kind: string; value: string }[] = [];
  const entry = /([A-Za-z][A-Za-z0-9 ]*):("(?:[^"\\]|\\.)*"|[^,]*)(?:, |$)/y;
  for (let match = entry.exec(text); match !== null && match[0] !== ''; match = entry.exec(text)) {
    const [, kind = '', raw = ''] = match;
    names.push({ kind, value: raw.startsWith('"') ? String(JSON.parse(raw)) : raw });
  }
  return names;
}

/** A name with several common names comes as an array on Node; the last is the most specific one. */
function readCommonName(name: unknown): string {
  if (typeof name !== 'object' || name === null || !('CN' in name)) return '';
  const value: unknown = Array.isArray(name.CN) ? name.CN.at(-1) : name.CN;
  return typeof value === 'string' ? value : '';
}

/** `validFrom` and `validTo` are in OpenSSL's form, `Nov  3 18:17:38 2026 GMT`; Node 20 has no date for them. */
function toIsoTime(text: string): string {
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw new Error(`"${text}" is not a time`);
  return new Date(time).toISOString();
}

function hashPublicKey(key: KeyObject): string {
  return createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex');
}

function explainNoPem(pem: string | Uint8Array, what: string): string {
  const text = toText(pem);
  if (text.length === 0) return `it is empty, so it holds no ${what}`;
  if (/^\0+$/.test(text)) return `it holds ${text.length} zero bytes and no ${what}, as files do after a power loss`;
  return `it holds no PEM ${what}`;
}

function toText(pem: string | Uint8Array): string {
  return typeof pem === 'string' ? pem : Buffer.from(pem).toString('latin1');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
