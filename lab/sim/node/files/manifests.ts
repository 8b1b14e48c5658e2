import { etcdImage } from '../image.ts';
import { type Mount, type Probe, renderStaticPod } from './static-pod.ts';

export interface ManifestValues {
  readonly cluster: string;
  readonly name: string;
  readonly address: string;
  /** Such as `v1.34.4`. */
  readonly kubernetes: string;
  /** etcd's members up to this one, in the order in which they joined. */
  readonly members: readonly { readonly name: string; readonly address: string }[];
}

const pki = '/etc/kubernetes/pki';

/** The four static pods of a control plane: path to text. */
export function renderManifests(values: ManifestValues): [string, string][] {
  return [
    ['/etc/kubernetes/manifests/etcd.yaml', renderEtcd(values)],
    ['/etc/kubernetes/manifests/kube-apiserver.yaml', renderApiServer(values)],
    ['/etc/kubernetes/manifests/kube-controller-manager.yaml', renderControllerManager(values)],
    ['/etc/kubernetes/manifests/kube-scheduler.yaml', renderScheduler(values)],
  ];
}

function renderEtcd({ name, address, members }: ManifestValues): string {
  const cluster = members.map((member) => `${member.name}=https://${member.address}:2380`).join(',');
  return renderStaticPod({
    name: 'etcd',
    image: etcdImage,
    annotation: `kubeadm.kubernetes.io/etcd.advertise-client-urls: https://${address}:2379`,
    command: [
      `--advertise-client-urls=https://${address}:2379`,
      `--cert-file=${pki}/etcd/server.crt`,
      '--client-cert-auth=true',
      '--data-dir=/var/lib/etcd',
      '--feature-gates=InitialCorruptCheck=true',
      `--initial-advertise-peer-urls=https://${address}:2380`,
      `--initial-cluster=${cluster}`,
      ...(members.length > 1 ? ['--initial-cluster-state=existing'] : []),
      `--key-file=${pki}/etcd/server.key`,
      `--listen-client-urls=https://127.0.0.1:2379,https://${address}:2379`,
      '--listen-metrics-urls=http://127.0.0.1:2381',
      `--listen-peer-urls=https://${address}:2380`,
      `--name=${name}`,
      `--peer-cert-file=${pki}/etcd/peer.crt`,
      '--peer-client-cert-auth=true',
      `--peer-key-file=${pki}/etcd/peer.key`,
      `--peer-trusted-ca-file=${pki}/etcd/ca.crt`,
      '--snapshot-count=10000',
      `--trusted-ca-file=${pki}/etcd/ca.crt`,
      '--watch-progress-notify-interval=5s',
    ],
    port: 2381,
    probes: listProbes('127.0.0.1', 'HTTP', { liveness: '/livez', readiness: '/readyz', startup: '/readyz' }),
    requests: ['cpu: 100m', 'memory: 100Mi'],
    mounts: [
      { name: 'etcd-data', path: '/var/lib/etcd', readOnly: false },
      { name: 'etcd-certs', path: `${pki}/etcd`, readOnly: false },
    ],
  });
}

function renderApiServer({ address, kubernetes }: ManifestValues): string {
  return renderStaticPod({
    name: 'kube-apiserver',
    image: `registry.k8s.io/kube-apiserver:${kubernetes}`,
    annotation: `kubeadm.kubernetes.io/kube-apiserver.advertise-address.endpoint: ${address}:6443`,
    command: [
      `--advertise-address=${address}`,
      '--allow-privileged=true',
      '--authorization-mode=Node,RBAC',
      `--client-ca-file=${pki}/ca.crt`,
      '--enable-admission-plugins=NodeRestriction',
      '--enable-bootstrap-token-auth=true',
      `--etcd-cafile=${pki}/etcd/ca.crt`,
      `--etcd-certfile=${pki}/apiserver-etcd-client.crt`,
      `--etcd-keyfile=${pki}/apiserver-etcd-client.key`,
      '--etcd-servers=https://127.0.0.1:2379',
      `--kubelet-client-certificate=${pki}/apiserver-kubelet-client.crt`,
      `--kubelet-client-key=${pki}/apiserver-kubelet-client.key`,
      '--kubelet-preferred-address-types=InternalIP,ExternalIP,Hostname',
      `--proxy-client-cert-file=${pki}/front-proxy-client.crt`,
      `--proxy-client-key-file=${pki}/front-proxy-client.key`,
      '--requestheader-allowed-names=front-proxy-client',
      `--requestheader-client-ca-file=${pki}/front-proxy-ca.crt`,
      '--requestheader-extra-headers-prefix=X-Remote-Extra-',
      '--requestheader-group-headers=X-Remote-Group',
      '--requestheader-username-headers=X-Remote-User',
      '--secure-port=6443',
      '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
      `--service-account-key-file=${pki}/sa.pub`,
      `--service-account-signing-key-file=${pki}/sa.key`,
      '--service-cluster-ip-range=10.96.0.0/16',
      `--tls-cert-file=${pki}/apiserver.crt`,
      `--tls-private-key-file=${pki}/apiserver.key`,
      '--runtime-config=',
    ],
    port: 6443,
    probes: listProbes(address, 'HTTPS', { liveness: '/livez', readiness: '/readyz', startup: '/livez' }),
    requests: ['cpu: 250m'],
    mounts: [...systemCertificates.slice(0, 2), kubernetesCertificates, ...systemCertificates.slice(2)],
  });
}

function renderControllerManager({ cluster, kubernetes }: ManifestValues): string {
  const conf = '/etc/kubernetes/controller-manager.conf';
  return renderStaticPod({
    name: 'kube-controller-manager',
    image: `registry.k8s.io/kube-controller-manager:${kubernetes}`,
    command: [
      '--allocate-node-cidrs=true',
      `--authentication-kubeconfig=${conf}`,
      `--authorization-kubeconfig=${conf}`,
      '--bind-address=127.0.0.1',
      `--client-ca-file=${pki}/ca.crt`,
      '--cluster-cidr=10.244.0.0/16',
      `--cluster-name=${cluster}`,
      `--cluster-signing-cert-file=${pki}/ca.crt`,
      `--cluster-signing-key-file=${pki}/ca.key`,
      '--controllers=*,bootstrapsigner,tokencleaner',
      `--kubeconfig=${conf}`,
      '--leader-elect=true',
      `--requestheader-client-ca-file=${pki}/front-proxy-ca.crt`,
      `--root-ca-file=${pki}/ca.crt`,
      `--service-account-private-key-file=${pki}/sa.key`,
      '--service-cluster-ip-range=10.96.0.0/16',
      '--use-service-account-credentials=true',
      '--enable-hostpath-provisioner=true',
    ],
    port: 10257,
    probes: listProbes('127.0.0.1', 'HTTPS', { liveness: '/healthz', startup: '/healthz' }),
    requests: ['cpu: 200m'],
    mounts: [
      ...systemCertificates.slice(0, 2),
      { name: 'flexvolume-dir', path: '/usr/libexec/kubernetes/kubelet-plugins/volume/exec', readOnly: false },
      kubernetesCertificates,
      { name: 'kubeconfig', path: conf, readOnly: true, type: 'FileOrCreate' },
      ...systemCertificates.slice(2),
    ],
  });
}

function renderScheduler({ kubernetes }: ManifestValues): string {
  const conf = '/etc/kubernetes/scheduler.conf';
  return renderStaticPod({
    name: 'kube-scheduler',
    image: `registry.k8s.io/kube-scheduler:${kubernetes}`,
    command: [
      `--authentication-kubeconfig=${conf}`,
      `--authorization-kubeconfig=${conf}`,
      '--bind-address=127.0.0.1',
      `--kubeconfig=${conf}`,
      '--leader-elect=true',
    ],
    port: 10259,
    probes: listProbes('127.0.0.1', 'HTTPS', { liveness: '/livez', readiness: '/readyz', startup: '/livez' }),
    requests: ['cpu: 100m'],
    mounts: [{ name: 'kubeconfig', path: conf, readOnly: true, type: 'FileOrCreate' }],
  });
}

const kubernetesCertificates: Mount = { name: 'k8s-certs', path: pki, readOnly: true };

const systemCertificates: readonly Mount[] = [
  { name: 'ca-certs', path: '/etc/ssl/certs', readOnly: true },
  { name: 'etc-ca-certificates', path: '/etc/ca-certificates', readOnly: true },
  { name: 'usr-local-share-ca-certificates', path: '/usr/local/share/ca-certificates', readOnly: true },
  { name: 'usr-share-ca-certificates', path: '/usr/share/ca-certificates', readOnly: true },
];

function listProbes(
  host: string,
  scheme: Probe['scheme'],
  paths: Readonly<Partial<Record<Probe['kind'], string>>>,
): Probe[] {
  return (['liveness', 'readiness', 'startup'] as const).flatMap((kind) => {
    const path = paths[kind];
    return path === undefined ? [] : [{ kind, host, path, scheme }];
  });
}
