import {
  describeIssuer,
  type Issuer,
  issueCertificate,
  makeKeys,
  printPrivateKey,
  printPublicKey,
} from './certificate.ts';
import { type AuthorityName, authorities, pkiFolder, validity } from './phases.ts';

export interface ClusterAuthorities {
  readonly issuers: Readonly<Record<AuthorityName, Issuer>>;
  /** PEM text of the cluster's own authority, as kubeconfigs carry it. */
  readonly caPem: string;
  /** What every control plane has of them: the authorities and the key of service accounts. Path, text, mode. */
  readonly files: readonly (readonly [string, string, number])[];
}

/** `now`: milliseconds since the epoch. */
export function makeAuthorities(now: number): ClusterAuthorities {
  const made = (Object.keys(authorities) as AuthorityName[]).map((name) => {
    const { commonName } = authorities[name];
    const keys = makeKeys();
    const request = { commonName, keys, isAuthority: true, dnsNames: [commonName], ...validity(now, 10) };
    return { name, keys, issuer: describeIssuer(commonName, keys), certificatePem: issueCertificate(request) };
  });
  const serviceAccounts = makeKeys();
  return {
    issuers: Object.fromEntries(made.map(({ name, issuer }) => [name, issuer])) as Record<AuthorityName, Issuer>,
    caPem: made.find(({ name }) => name === 'ca')?.certificatePem ?? '',
    files: [
      ...made.flatMap(({ name, keys, certificatePem }) => [
        [`${pkiFolder}/${name}.crt`, certificatePem, 0o644] as const,
        [`${pkiFolder}/${name}.key`, printPrivateKey(keys.privateKey), 0o600] as const,
      ]),
      [`${pkiFolder}/sa.key`, printPrivateKey(serviceAccounts.privateKey), 0o600],
      [`${pkiFolder}/sa.pub`, printPublicKey(serviceAccounts.publicKey), 0o600],
    ],
  };
}
