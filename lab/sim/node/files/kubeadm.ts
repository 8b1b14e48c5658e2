import { pauseImage } from '../image.ts';

export interface KubeadmValues {
  readonly cluster: string;
  readonly name: string;
  readonly role: 'control-plane' | 'worker';
  readonly address: string;
  /** The host name of the API, for workers and for all who join. */
  readonly endpoint: string;
  readonly kubernetes: string;
}

/** /kind/kubeadm.conf as kind writes it for Kubernetes v1.23 to v1.35. */
export function renderKubeadmConf(values: KubeadmValues): string {
  const { cluster, role, address, endpoint, kubernetes } = values;
  const registration = renderRegistration(values);
  const controlPlane =
    role === 'control-plane'
      ? `controlPlane:
  localAPIEndpoint:
    advertiseAddress: ${address}
    bindPort: 6443
`
      : '';
  return `apiServer:
  certSANs:
  - localhost
  - 127.0.0.1
  extraArgs:
    runtime-config: ""
apiVersion: kubeadm.k8s.io/v1beta3
clusterName: ${cluster}
controlPlaneEndpoint: ${endpoint}:6443
controllerManager:
  extraArgs:
    enable-hostpath-provisioner: "true"
kind: ClusterConfiguration
kubernetesVersion: ${kubernetes}
networking:
  podSubnet: 10.244.0.0/16
  serviceSubnet: 10.96.0.0/16
scheduler:
  extraArgs: null
---
apiVersion: kubeadm.k8s.io/v1beta3
bootstrapTokens:
- token: abcdef.0123456789abcdef
kind: InitConfiguration
localAPIEndpoint:
  advertiseAddress: ${address}
  bindPort: 6443
${registration}---
apiVersion: kubeadm.k8s.io/v1beta3
${controlPlane}discovery:
  bootstrapToken:
    apiServerEndpoint: ${endpoint}:6443
    token: abcdef.0123456789abcdef
    unsafeSkipCAVerification: true
kind: JoinConfiguration
${registration}---
apiVersion: kubelet.config.k8s.io/v1beta1
cgroupDriver: systemd
cgroupRoot: /kubelet
evictionHard:
  imagefs.available: 0%
  nodefs.available: 0%
  nodefs.inodesFree: 0%
failSwapOn: false
imageGCHighThresholdPercent: 100
kind: KubeletConfiguration
---
apiVersion: kubeproxy.config.k8s.io/v1alpha1
conntrack:
  maxPerCore: 0
iptables:
  minSyncPeriod: 1s
kind: KubeProxyConfiguration
mode: iptables
`;
}

function renderRegistration({ cluster, name, address }: KubeadmValues): string {
  return `nodeRegistration:
  criSocket: unix:///run/containerd/containerd.sock
  kubeletExtraArgs:
    node-ip: ${address}
    node-labels: ""
    provider-id: kind://docker/${cluster}/${name}
skipPhases:
- preflight
`;
}

/** /var/lib/kubelet/kubeadm-flags.env */
export function renderKubeletFlags({ cluster, name, address }: KubeadmValues): string {
  return `KUBELET_KUBEADM_ARGS="--pod-infra-container-image=${pauseImage} --node-ip=${address} --node-labels= --provider-id=kind://docker/${cluster}/${name}"\n`;
}

/** kubelet.conf of a node that joined: made by the kubelet itself when it was given its certificate. */
export function renderJoinedKubeletConf(server: string, authorityPem: string): string {
  return `apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: ${Buffer.from(authorityPem).toString('base64')}
    server: ${server}
  name: default-cluster
contexts:
- context:
    cluster: default-cluster
    namespace: default
    user: default-auth
  name: default-context
current-context: default-context
kind: Config
users:
- name: default-auth
  user:
    client-certificate: /var/lib/kubelet/pki/kubelet-client-current.pem
    client-key: /var/lib/kubelet/pki/kubelet-client-current.pem
`;
}

/** /var/lib/kubelet/config.yaml */
export const kubeletConfig = `apiVersion: kubelet.config.k8s.io/v1beta1
authentication:
  anonymous:
    enabled: false
  webhook:
    cacheTTL: 0s
    enabled: true
  x509:
    clientCAFile: /etc/kubernetes/pki/ca.crt
authorization:
  mode: Webhook
  webhook:
    cacheAuthorizedTTL: 0s
    cacheUnauthorizedTTL: 0s
cgroupDriver: systemd
cgroupRoot: /kubelet
clusterDNS:
- 10.96.0.10
clusterDomain: cluster.local
containerRuntimeEndpoint: unix:///run/containerd/containerd.sock
cpuManagerReconcilePeriod: 0s
crashLoopBackOff: {}
evictionHard:
  imagefs.available: 0%
  nodefs.available: 0%
  nodefs.inodesFree: 0%
evictionPressureTransitionPeriod: 0s
failSwapOn: false
fileCheckFrequency: 0s
healthzBindAddress: 127.0.0.1
healthzPort: 10248
httpCheckFrequency: 0s
imageGCHighThresholdPercent: 100
imageMaximumGCAge: 0s
imageMinimumGCAge: 0s
kind: KubeletConfiguration
logging:
  flushFrequency: 0
  options:
    json:
      infoBufferSize: "0"
    text:
      infoBufferSize: "0"
  verbosity: 0
memorySwap: {}
nodeStatusReportFrequency: 0s
nodeStatusUpdateFrequency: 0s
rotateCertificates: true
runtimeRequestTimeout: 0s
shutdownGracePeriod: 0s
shutdownGracePeriodCriticalPods: 0s
staticPodPath: /etc/kubernetes/manifests
streamingConnectionIdleTimeout: 0s
syncFrequency: 0s
volumeStatsAggPeriod: 0s
`;
