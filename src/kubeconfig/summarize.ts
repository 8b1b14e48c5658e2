import { isIP } from 'node:net';
import { type Observed, seen, unseen } from '../facts/observed.ts';
import type { KubeCredentials } from '../kube/port.ts';
import { normalizeAddress } from '../manifests/address.ts';
import { fingerprintOfPem } from '../pki/certificates.ts';
import { type KubeconfigDocument, type KubeconfigFailure, readDocument } from './document.ts';
import { type RawEntry, readEntries, readText } from './parse.ts';
import { locateServer } from './server.ts';

/** What a node-side kubeconfig (kubelet.conf, admin.conf, controller-manager.conf, …) says in public. */
export interface KubeconfigSummary {
  readonly server: string;
  /** Without brackets; addresses in the normal form of `normalizeAddress`. */
  readonly host: string;
  readonly port: number;
  readonly hostIsAddress: boolean;
  /** From the key to the end of the value, exactly as in the file. */
  readonly serverText: string;
  /** SHA-256 of the first authority certificate's DER bytes, hex; absent where the file names a path or nothing. */
  readonly caSha256?: string;
}

export function summarizeKubeconfig(text: string): Observed<KubeconfigSummary> {
  const document = readDocument(text);
  if (!document.ok) return unseen(explain(document));
  const place = locateServer(document);
  if (!place.ok) return unseen(explain(place));
  const { server } = place.value;
  const address = readAddress(server);
  if (address === undefined) return unseen('the server is no URL');
  const { cluster } = findCurrent(document);
  const caData = readText(cluster, 'certificate-authority-data');
  const caSha256 = caData === undefined ? undefined : fingerprintOfPem(decodeBase64(caData));
  return seen({
    server,
    ...address,
    serverText: place.value.text,
    ...(caSha256 === undefined ? {} : { caSha256 }),
  });
}

/** The credentials embedded for the current context, as in admin.conf. For use in memory only. */
export function readCredentials(text: string): Observed<KubeCredentials> {
  const document = readDocument(text);
  if (!document.ok) return unseen(explain(document));
  const { cluster, user } = findCurrent(document);
  const read = (values: Readonly<Record<string, unknown>>, key: string) => {
    const data = readText(values, key);
    return data === undefined ? undefined : decodeBase64(data);
  };
  const certificateAuthority = read(cluster, 'certificate-authority-data');
  const clientCertificate = read(user, 'client-certificate-data');
  const clientKey = read(user, 'client-key-data');
  if (certificateAuthority === undefined) return unseen('it holds no certificate-authority-data for its context');
  if (clientCertificate === undefined) return unseen('it holds no client-certificate-data for its context');
  if (clientKey === undefined) return unseen('it holds no client-key-data for its context');
  return seen({ certificateAuthority, clientCertificate, clientKey });
}

function findCurrent(document: KubeconfigDocument): {
  readonly cluster: RawEntry['values'];
  readonly user: RawEntry['values'];
} {
  const find = (section: 'clusters' | 'contexts' | 'users', name: string | undefined) =>
    readEntries(document.value, section).find((entry) => entry.name === name)?.values ?? {};
  const context = find('contexts', readText(document.value, 'current-context'));
  return {
    cluster: find('clusters', readText(context, 'cluster')),
    user: find('users', readText(context, 'user')),
  };
}

function readAddress(server: string): Pick<KubeconfigSummary, 'host' | 'port' | 'hostIsAddress'> | undefined {
  if (!URL.canParse(server)) return undefined;
  const url = new URL(server);
  if (url.hostname === '') return undefined;
  const host = normalizeAddress(url.hostname.replace(/^\[(.*)\]$/, '$1'));
  const usual = url.protocol === 'http:' ? 80 : 443;
  return { host, port: url.port === '' ? usual : Number(url.port), hostIsAddress: isIP(host) !== 0 };
}

function decodeBase64(data: string): string {
  return Buffer.from(data, 'base64').toString('latin1');
}

function explain(failure: KubeconfigFailure): string {
  return `line ${failure.line}, column ${failure.column}: ${failure.message}`;
}
