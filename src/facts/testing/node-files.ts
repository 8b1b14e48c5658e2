/** The files of a node that state addresses, as kubeadm v1.34 and kind v0.29 write them. */

export interface NodeFileValues {
  readonly cluster: string;
  readonly name: string;
  readonly role: 'control-plane' | 'worker';
  /** The node's own addresses: one, or two in a dual-stack cluster, the primary one first. */
  readonly addresses: readonly string[];
  /** What /kind/old-ipv4 and -ipv6 hold: all that Docker gave, whether the cluster uses it or not. */
  readonly recorded: readonly string[];
  /** Names of the etcd members in the order they joined, with their addresses; the node itself among them. */
  readonly members: readonly { readonly name: string; readonly address: string }[];
  /** The host name by which workers reach the API. */
  readonly entryPoint: string;
}

export const manifestFolder = '/etc/kubernetes/manifests';
export const flagsFile = '/var/lib/kubelet/kubeadm-flags.env';
export const kubeadmFile = '/kind/kubeadm.conf';

/** Path to text; kubeconfigs and certificates are not among them. */
export function renderNodeFiles(values: NodeFileValues): ReadonlyMap<string, string> {
  const [primary = ''] = values.addresses;
  const recorded = values.recorded.map((address) => [`/kind/old-ipv${isVersion6(address) ? 6 : 4}`, `${address}\n`]);
  return new Map([
    ...(values.role === 'control-plane'
      ? [
          [`${manifestFolder}/etcd.yaml`, renderEtcd(values, primary)] as const,
          [`${manifestFolder}/kube-apiserver.yaml`, renderApiServer(primary)] as const,
          [`${manifestFolder}/kube-controller-manager.yaml`, renderLocalProbe('kube-controller-manager')] as const,
          [`${manifestFolder}/kube-scheduler.yaml`, renderLocalProbe('kube-scheduler')] as const,
        ]
      : []),
    [kubeadmFile, renderKubeadm(values, primary)],
    [flagsFile, renderFlags(values)],
    ...(recorded as [string, string][]),
  ]);
}

export function renderKubeconfig(options: {
  readonly cluster: string;
  readonly user: string;
  readonly server: string;
  readonly authority: string;
  /** PEM texts; the kubelet's names files instead. */
  readonly client?: { readonly certificate: string; readonly key: string };
}): string {
  const { cluster, user, server, authority, client } = options;
  const encode = (text: string) => Buffer.from(text).toString('base64');
  const credentials =
    client === undefined
      ? `    client-certificate: /var/lib/kubelet/pki/kubelet-client-current.pem
    client-key: /var/lib/kubelet/pki/kubelet-client-current.pem`
      : `    client-certificate-data: ${encode(client.certificate)}
    client-key-data: ${encode(client.key)}`;
  return `apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: ${encode(authority)}
    server: ${server}
  name: ${cluster}
contexts:
- context:
    cluster: ${cluster}
    user: ${user}
  name: ${user}@${cluster}
current-context: ${user}@${cluster}
kind: Config
users:
- name: ${user}
  user:
${credentials}
`;
}

export function isVersion6(address: string): boolean {
  return address.includes(':');
}

/** As in a URL: IPv6 in brackets. */
export function bracket(address: string): string {
  return isVersion6(address) ? `[${address}]` : address;
}

function renderEtcd({ name, members }: NodeFileValues, own: string): string {
  const host = bracket(own);
  const loopback = isVersion6(own) ? '[::1]' : '127.0.0.1';
  const cluster = members.map((member) => `${member.name}=https://${bracket(member.address)}:2380`).join(',');
  return `apiVersion: v1
kind: Pod
metadata:
  annotations:
    kubeadm.kubernetes.io/etcd.advertise-client-urls: https://${host}:2379
  labels:
    component: etcd
    tier: control-plane
  name: etcd
  namespace: kube-system
spec:
  containers:
  - command:
    - etcd
    - --advertise-client-urls=https://${host}:2379
    - --cert-file=/etc/kubernetes/pki/etcd/server.crt
    - --data-dir=/var/lib/etcd
    - --initial-advertise-peer-urls=https://${host}:2380
    - --initial-cluster=${cluster}
    - --listen-client-urls=https://${loopback}:2379,https://${host}:2379
    - --listen-metrics-urls=http://${loopback}:2381
    - --listen-peer-urls=https://${host}:2380
    - --name=${name}
    image: registry.k8s.io/etcd:3.6.5-0
    livenessProbe:
      httpGet:
        host: ${isVersion6(own) ? '::1' : '127.0.0.1'}
        path: /livez
        port: probe-port
    name: etcd
  hostNetwork: true
status: {}
`;
}

function renderApiServer(own: string): string {
  // YAML would take a plain "[" for the beginning of a list.
  const endpoint = isVersion6(own) ? `'${bracket(own)}:6443'` : `${own}:6443`;
  const probe = (name: string) => `    ${name}:
      httpGet:
        host: ${own}
        path: /livez
        port: probe-port
        scheme: HTTPS
`;
  return `apiVersion: v1
kind: Pod
metadata:
  annotations:
    kubeadm.kubernetes.io/kube-apiserver.advertise-address.endpoint: ${endpoint}
  name: kube-apiserver
  namespace: kube-system
spec:
  containers:
  - command:
    - kube-apiserver
    - --advertise-address=${own}
    - --etcd-servers=https://127.0.0.1:2379
    - --service-cluster-ip-range=10.96.0.0/16
    image: registry.k8s.io/kube-apiserver:v1.34.4
${probe('livenessProbe')}    name: kube-apiserver
${probe('readinessProbe')}${probe('startupProbe')}  hostNetwork: true
status: {}
`;
}

function renderLocalProbe(component: string): string {
  return `apiVersion: v1
kind: Pod
metadata:
  name: ${component}
  namespace: kube-system
spec:
  containers:
  - command:
    - ${component}
    - --bind-address=127.0.0.1
    livenessProbe:
      httpGet:
        host: 127.0.0.1
        path: /healthz
    name: ${component}
`;
}

function renderKubeadm({ cluster, name, role, addresses, entryPoint }: NodeFileValues, primary: string): string {
  const registration = `nodeRegistration:
  criSocket: unix:///run/containerd/containerd.sock
  kubeletExtraArgs:
    node-ip: ${addresses.join(',')}
    node-labels: ""
    provider-id: kind://docker/${cluster}/${name}
`;
  const joining =
    role === 'control-plane'
      ? `controlPlane:
  localAPIEndpoint:
    advertiseAddress: ${primary}
    bindPort: 6443
`
      : '';
  return `apiVersion: kubeadm.k8s.io/v1beta3
clusterName: ${cluster}
controlPlaneEndpoint: ${entryPoint}:6443
kind: ClusterConfiguration
networking:
  podSubnet: 10.244.0.0/16
  serviceSubnet: 10.96.0.0/16
---
apiVersion: kubeadm.k8s.io/v1beta3
kind: InitConfiguration
localAPIEndpoint:
  advertiseAddress: ${primary}
  bindPort: 6443
${registration}---
apiVersion: kubeadm.k8s.io/v1beta3
${joining}discovery:
  bootstrapToken:
    apiServerEndpoint: ${entryPoint}:6443
kind: JoinConfiguration
${registration}`;
}

function renderFlags({ cluster, name, addresses }: NodeFileValues): string {
  return `KUBELET_KUBEADM_ARGS="--pod-infra-container-image=registry.k8s.io/pause:3.10.1 --node-ip=${addresses.join(',')} --node-labels= --provider-id=kind://docker/${cluster}/${name}"\n`;
}
