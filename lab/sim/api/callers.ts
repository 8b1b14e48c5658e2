/** Who asks: by the certificate shown, judged by the authority and the time of the simulated world. */

import { X509Certificate } from 'node:crypto';
import { type ApiAnswer, ApiFailure, answerFailure } from './answers.ts';

/** What anonymous callers may read (`system:public-info-viewer`). */
const PUBLIC = /^\/(?:(?:readyz|livez|healthz)(?:\/.*)?|version\/?)$/;

/** The answer to those who are not let in; undefined for those who are. */
export function refuseCaller(
  certificate: X509Certificate | undefined,
  authorityPem: string,
  pathname: string,
  now: number,
): ApiAnswer | undefined {
  if (certificate !== undefined) {
    return isTrusted(certificate, authorityPem, now)
      ? undefined
      : answerFailure(new ApiFailure(401, 'Unauthorized', 'Unauthorized'));
  }
  if (PUBLIC.test(pathname)) return undefined;
  return answerFailure(
    new ApiFailure(403, 'Forbidden', `forbidden: User "system:anonymous" cannot get path "${pathname}"`, {}),
  );
}

function isTrusted(certificate: X509Certificate, authorityPem: string, now: number): boolean {
  if (now < Date.parse(certificate.validFrom) || now > Date.parse(certificate.validTo)) return false;
  return splitPem(authorityPem).some((pem) => {
    const authority = new X509Certificate(pem);
    return certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
  });
}

function splitPem(text: string): readonly string[] {
  return text.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
}
