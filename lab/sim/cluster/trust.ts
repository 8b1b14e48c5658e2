import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { normalizeAddress } from '../../../src/manifests/address.ts';
import { type CertificateDescription, describeCertificate } from '../../../src/pki/certificates.ts';

/** Judges real certificates as Go's crypto/tls does, with its words. Remembers what it has read. */
export interface Trust {
  describe(pem: string): CertificateDescription | undefined;
  /** Whether one of the authorities has signed the certificate. */
  isIssuedBy(pem: string, authorityPem: string): boolean;
  /** Why a client that dialled `host` refuses the certificate; undefined where it accepts it. */
  refuseServer(pem: string, authorityPem: string, host: string, now: number): string | undefined;
  /** Why a server refuses a client's certificate; undefined where it accepts it. */
  refuseClient(pem: string | undefined, authorityPem: string, now: number): string | undefined;
}

/** As many different certificates as a world of some hundred nodes has; more are read again. */
const remembered = 4_000;

export function createTrust(): Trust {
  const described = new Map<string, CertificateDescription | undefined>();
  /** By authority, then by certificate: texts that are looked up as they are need not be hashed again. */
  const issued = new Map<string, Map<string, boolean>>();
  const times = new Map<string, { readonly from: number; readonly until: number }>();

  function describe(pem: string): CertificateDescription | undefined {
    if (!described.has(pem)) {
      if (described.size >= remembered) described.clear();
      const result = describeCertificate(pem);
      described.set(pem, result.ok ? result.value : undefined);
    }
    return described.get(pem);
  }

  function isIssuedBy(pem: string, authorityPem: string): boolean {
    const known = issued.get(authorityPem) ?? new Map<string, boolean>();
    issued.set(authorityPem, known);
    let answer = known.get(pem);
    if (answer === undefined) {
      if (known.size >= remembered) known.clear();
      answer = checkIssued(pem, authorityPem);
      known.set(pem, answer);
    }
    return answer;
  }

  function isCurrent(pem: string, { notBefore, notAfter }: CertificateDescription, now: number): boolean {
    let span = times.get(pem);
    if (span === undefined) {
      if (times.size >= remembered) times.clear();
      span = { from: Date.parse(notBefore), until: Date.parse(notAfter) };
      times.set(pem, span);
    }
    return now >= span.from && now <= span.until;
  }

  return {
    describe,
    isIssuedBy,
    refuseServer(pem, authorityPem, host, now) {
      const certificate = describe(pem);
      if (certificate === undefined) return 'tls: failed to parse certificate from server';
      if (!isCurrent(pem, certificate, now)) return explainTime(certificate, now);
      const refusal = refuseName(certificate, host);
      if (refusal !== undefined) return refusal;
      return isIssuedBy(pem, authorityPem)
        ? undefined
        : 'tls: failed to verify certificate: x509: certificate signed by unknown authority';
    },
    refuseClient(pem, authorityPem, now) {
      const certificate = pem === undefined ? undefined : describe(pem);
      if (pem === undefined || certificate === undefined) return 'Unauthorized';
      if (!isCurrent(pem, certificate, now)) return 'Unauthorized';
      return isIssuedBy(pem, authorityPem) ? undefined : 'Unauthorized';
    },
  };
}

function checkIssued(pem: string, authorityPem: string): boolean {
  try {
    const certificate = new X509Certificate(pem);
    const authority = new X509Certificate(authorityPem);
    return certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
  } catch {
    return false;
  }
}

function explainTime({ notBefore, notAfter }: CertificateDescription, now: number): string {
  const current = `${new Date(now).toISOString().slice(0, 19)}Z`;
  const start = 'tls: failed to verify certificate: x509: certificate has expired or is not yet valid: current time';
  if (now > Date.parse(notAfter)) return `${start} ${current} is after ${notAfter}`;
  return `${start} ${current} is before ${notBefore}`;
}

function refuseName({ dnsNames, ipAddresses }: CertificateDescription, host: string): string | undefined {
  const isAddress = isIP(host) !== 0;
  const names = isAddress ? ipAddresses : dnsNames;
  if (names.includes(isAddress ? normalizeAddress(host) : host.toLowerCase())) return undefined;
  const problem =
    names.length === 0
      ? `cannot validate certificate for ${host} because it doesn't contain any ${isAddress ? 'IP SANs' : 'names'}`
      : `certificate is valid for ${names.join(', ')}, not ${host}`;
  return `tls: failed to verify certificate: x509: ${problem}`;
}
