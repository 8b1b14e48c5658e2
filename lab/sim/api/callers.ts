/** Who asks: by the certificate shown, judged by the authority and the time of the simulated world. */

import { X509Certificate } from 'node:crypto';
import { type ApiAnswer, ApiFailure, answerFailure } from './answers.ts';

/** What anonymous callers may read (`system:public-info-viewer`). */
const PUBLIC = /^\/(?:(?:readyz|livez|healthz)(?:\/.*)?|version\/?)$/;

/** The answer to those who are not let in; undefined for those who are. */
export type RefuseCaller = (
  certificate: X509Certificate | undefined,
  authorityPem: string,
  pathname: string,
  now: number,
) => ApiAnswer | undefined;

/** Remembers whose signatures it has seen: the same callers come again and again. */
export function createDoorkeeper(): RefuseCaller {
  /** By authority and the certificate's fingerprint. */
  const signed = new Map<string, boolean>();

  function isSigned(certificate: X509Certificate, authorityPem: string): boolean {
    const key = certificate.fingerprint256 + authorityPem;
    let answer = signed.get(key);
    if (answer === undefined) {
      answer = splitPem(authorityPem).some((pem) => {
        const authority = new X509Certificate(pem);
        return certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
      });
      signed.set(key, answer);
    }
    return answer;
  }

  return (certificate, authorityPem, pathname, now) => {
    if (certificate !== undefined) {
      const isCurrent = now >= Date.parse(certificate.validFrom) && now <= Date.parse(certificate.validTo);
      return isCurrent && isSigned(certificate, authorityPem)
        ? undefined
        : answerFailure(new ApiFailure(401, 'Unauthorized', 'Unauthorized'));
    }
    if (PUBLIC.test(pathname)) return undefined;
    return answerFailure(
      new ApiFailure(403, 'Forbidden', `forbidden: User "system:anonymous" cannot get path "${pathname}"`, {}),
    );
  };
}

function splitPem(text: string): readonly string[] {
  return text.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
}
