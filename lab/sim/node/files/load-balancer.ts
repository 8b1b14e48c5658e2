import type { NodeImage } from '../image.ts';

export const dynamicEnvoyFiles = ['/home/envoy/cds.yaml', '/home/envoy/lds.yaml'];

/** The configuration of a cluster's load balancer: path to text. */
export function renderLoadBalancer(image: NodeImage, controlPlanes: readonly string[]): [string, string][] {
  if (image.loadBalancer === 'haproxy') return [['/usr/local/etc/haproxy/haproxy.cfg', renderHaproxy(controlPlanes)]];
  return [
    ['/home/envoy/envoy.yaml', envoyBootstrap],
    ['/home/envoy/cds.yaml', renderClusters(controlPlanes)],
    ['/home/envoy/lds.yaml', envoyListeners],
  ];
}

const envoyBootstrap = `node:
  cluster: kind
  id: kind-load-balancer
dynamic_resources:
  cds_config:
    resource_api_version: V3
    path_config_source:
      path: /home/envoy/cds.yaml
  lds_config:
    resource_api_version: V3
    path_config_source:
      path: /home/envoy/lds.yaml
admin:
  address:
    socket_address:
      address: 127.0.0.1
      port_value: 10000
`;

const envoyListeners = `resources:
- "@type": type.googleapis.com/envoy.config.listener.v3.Listener
  name: kube_apiservers
  address:
    socket_address:
      address: "::"
      port_value: 6443
      ipv4_compat: true
  filter_chains:
  - filters:
    - name: envoy.filters.network.tcp_proxy
      typed_config:
        "@type": type.googleapis.com/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy
        stat_prefix: kube_apiservers
        cluster: kube_apiservers
`;

function renderClusters(controlPlanes: readonly string[]): string {
  const endpoints = controlPlanes.map(
    (name) => `      - endpoint:
          address:
            socket_address:
              address: ${name}
              port_value: 6443
`,
  );
  return `resources:
- "@type": type.googleapis.com/envoy.config.cluster.v3.Cluster
  name: kube_apiservers
  type: STRICT_DNS
  connect_timeout: 1s
  lb_policy: ROUND_ROBIN
  load_assignment:
    cluster_name: kube_apiservers
    endpoints:
    - lb_endpoints:
${endpoints.join('')}`;
}

function renderHaproxy(controlPlanes: readonly string[]): string {
  return `global
  log /dev/log local0
  daemon
  maxconn 100000

resolvers docker
  nameserver dns 127.0.0.11:53

defaults
  mode tcp
  timeout connect 5000
  timeout client 50000
  timeout server 50000
  default-server init-addr none

frontend control-plane
  bind *:6443
  bind :::6443
  default_backend kube-apiservers

backend kube-apiservers
  option httpchk GET /healthz
${controlPlanes.map((name) => `  server ${name} ${name}:6443 check check-ssl verify none resolvers docker resolve-prefer ipv4\n`).join('')}`;
}
