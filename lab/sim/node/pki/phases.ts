import { parse } from 'yaml';
import { type Issuer, issueCertificate, makeKeys, printPrivateKey } from './certificate.ts';

export const pkiFolder = '/etc/kubernetes/pki';

export type AuthorityName = 'ca' | 'front-proxy-ca' | 'etcd/ca';

export const authorities: Readonly<Record<AuthorityName, { readonly phase: string; readonly commonName: string }>> = {
  ca: { phase: 'ca', commonName: 'kubernetes' },
  'front-proxy-ca': { phase: 'front-proxy-ca', commonName: 'front-proxy-ca' },
  'etcd/ca': { phase: 'etcd-ca', commonName: 'etcd-ca' },
};

/** What of kubeadm's configuration decides what certificates say. */
export interface CertificateValues {
  readonly nodeName: string;
  readonly advertiseAddress: string;
  readonly serviceSubnet: string;
  /** Host names and addresses that the API's certificate names besides its own. */
  readonly extraNames: readonly string[];
}

export interface CertificatePhase {
  /** Below /etc/kubernetes/pki, without its ending. */
  readonly base: string;
  readonly authority: AuthorityName;
  readonly commonName: (values: CertificateValues) => string;
  readonly organization?: string;
  readonly usages: readonly ('server' | 'client')[];
  readonly names?: (values: CertificateValues) => readonly string[];
  /** kubeadm's words for it. */
  readonly title: string;
}

const etcdNames = ({ nodeName, advertiseAddress }: CertificateValues) => [
  nodeName,
  'localhost',
  advertiseAddress,
  '127.0.0.1',
  '::1',
];

/** The certificates of `kubeadm init phase certs`, by the phase's name. */
export const certificatePhases: Readonly<Record<string, CertificatePhase>> = {
  apiserver: {
    base: 'apiserver',
    authority: 'ca',
    commonName: () => 'kube-apiserver',
    usages: ['server'],
    names: ({ nodeName, advertiseAddress, serviceSubnet, extraNames }) => [
      nodeName,
      'kubernetes',
      'kubernetes.default',
      'kubernetes.default.svc',
      'kubernetes.default.svc.cluster.local',
      firstAddress(serviceSubnet),
      advertiseAddress,
      ...extraNames,
    ],
    title: 'apiserver',
  },
  'apiserver-kubelet-client': {
    base: 'apiserver-kubelet-client',
    authority: 'ca',
    commonName: () => 'kube-apiserver-kubelet-client',
    organization: 'kubeadm:cluster-admins',
    usages: ['client'],
    title: 'apiserver-kubelet-client',
  },
  'front-proxy-client': {
    base: 'front-proxy-client',
    authority: 'front-proxy-ca',
    commonName: () => 'front-proxy-client',
    usages: ['client'],
    title: 'front-proxy-client',
  },
  'etcd-server': {
    base: 'etcd/server',
    authority: 'etcd/ca',
    commonName: ({ nodeName }) => nodeName,
    usages: ['server', 'client'],
    names: etcdNames,
    title: 'etcd/server',
  },
  'etcd-peer': {
    base: 'etcd/peer',
    authority: 'etcd/ca',
    commonName: ({ nodeName }) => nodeName,
    usages: ['server', 'client'],
    names: etcdNames,
    title: 'etcd/peer',
  },
  'etcd-healthcheck-client': {
    base: 'etcd/healthcheck-client',
    authority: 'etcd/ca',
    commonName: () => 'kube-etcd-healthcheck-client',
    usages: ['client'],
    title: 'etcd/healthcheck-client',
  },
  'apiserver-etcd-client': {
    base: 'apiserver-etcd-client',
    authority: 'etcd/ca',
    commonName: () => 'kube-apiserver-etcd-client',
    usages: ['client'],
    title: 'apiserver-etcd-client',
  },
};

/** The names in kubeadm's order: host names sorted, addresses as they come, none twice. */
export function listNames(phase: CertificatePhase, values: CertificateValues) {
  const names = [...new Set(phase.names?.(values) ?? [])];
  const isAddress = (name: string) => /^[\d.]+$|:/.test(name);
  return { dnsNames: names.filter((name) => !isAddress(name)).toSorted(), ipAddresses: names.filter(isAddress) };
}

const minute = 60_000;
const year = 365 * 24 * 60 * minute;

/** When a certificate of kubeadm's is valid: from five minutes ago for one year, its authority for ten. */
export function validity(now: number, years = 1): { readonly notBefore: number; readonly notAfter: number } {
  return { notBefore: now - 5 * minute, notAfter: now + years * year };
}

export interface CertificateFiles {
  readonly certificatePem: string;
  readonly privateKeyPem: string;
}

export function makePhaseCertificate(
  phase: CertificatePhase,
  values: CertificateValues,
  issuer: Issuer,
  now: number,
): CertificateFiles {
  return makeLeaf({
    commonName: phase.commonName(values),
    ...(phase.organization === undefined ? {} : { organization: phase.organization }),
    usages: phase.usages,
    ...listNames(phase, values),
    issuer,
    ...validity(now),
  });
}

export function makeLeaf(request: Omit<Parameters<typeof issueCertificate>[0], 'keys'>): CertificateFiles {
  const keys = makeKeys();
  return {
    certificatePem: issueCertificate({ ...request, keys }),
    privateKeyPem: printPrivateKey(keys.privateKey),
  };
}

interface KubeadmDocument {
  readonly controlPlaneEndpoint?: string;
  readonly apiServer?: { readonly certSANs?: readonly string[] };
  readonly networking?: { readonly serviceSubnet?: string };
  readonly localAPIEndpoint?: { readonly advertiseAddress?: string };
  readonly nodeRegistration?: { readonly name?: string };
}

/** From a kubeadm configuration; the node's name is that of the host where the text has none. Throws an Error on bad YAML. */
export function readCertificateValues(text: string, hostname: string): CertificateValues {
  const find = (kind: string): KubeadmDocument => {
    const part = text.split(/^---$/m).find((each) => new RegExp(`^kind: ${kind}$`, 'm').test(each));
    return part === undefined ? {} : ((parse(part) ?? {}) as KubeadmDocument);
  };
  const cluster = find('ClusterConfiguration');
  const init = find('InitConfiguration');
  return {
    nodeName: init.nodeRegistration?.name ?? hostname,
    advertiseAddress: init.localAPIEndpoint?.advertiseAddress ?? '',
    serviceSubnet: cluster.networking?.serviceSubnet ?? '10.96.0.0/12',
    extraNames: [
      ...(cluster.controlPlaneEndpoint === undefined ? [] : [cluster.controlPlaneEndpoint.replace(/:\d+$/, '')]),
      ...(cluster.apiServer?.certSANs ?? []),
    ],
  };
}

/** The address of the service `kubernetes`: the first one of the range. */
function firstAddress(subnet: string): string {
  const [start = ''] = subnet.split('/');
  return start.replace(/0$/, '1');
}
