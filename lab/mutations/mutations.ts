/** One deliberate fault of the product. */
export interface Mutation {
  /** What is wrong afterwards. */
  readonly name: string;
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly from: string;
  readonly to: string;
}

export const mutations: readonly Mutation[] = [
  {
    name: 'a stale kubelet.conf of a control plane passes, since another container answers there',
    file: 'src/checks/node/kubelet-endpoint-stale.ts',
    from: "if (node.container.role === 'control-plane') return [node.container.ipv4, node.container.ipv6, '127.0.0.1', '::1'];",
    to: '',
  },
  {
    name: 'a kubelet that has been silent for an hour still counts as Ready',
    file: 'src/checks/nodes/not-ready.ts',
    from: 'const leaseSeconds = 40;',
    to: 'const leaseSeconds = 4000;',
  },
  {
    name: 'an INTERNAL-IP that Docker does not know is not compared',
    file: 'src/checks/nodes/address-stale.ts',
    from: '} else if (stale.length > 0) {',
    to: '} else if (stale.length > 1) {',
  },
  {
    name: 'a controller manager that ended is not told of while its lease is young',
    file: 'src/checks/control-plane/controllers-stalled.ts',
    from: 'if (age <= staleAfterSeconds && !hasEnded) continue;',
    to: 'if (age <= staleAfterSeconds) continue;',
  },
  {
    name: "an address that the API server's certificate lacks goes unnoticed",
    file: 'src/checks/certificates/apiserver-address-missing.ts',
    from: 'if (missing.length === 0) return;',
    to: 'if (missing.length >= 0) return;',
  },
  {
    name: 'the kubelet is not restarted after its kubelet.conf was mended',
    file: 'src/repairs/endpoints.ts',
    from: "step: { kind: 'restart-unit', node: subject, unit: 'kubelet' },",
    to: "step: { kind: 'wait-boot', node: subject },",
  },
  {
    name: 'kubelet.conf is given the present address although the name would last',
    file: 'src/repairs/endpoints.ts',
    from: 'if (resolves && named)',
    to: 'if (resolves && !named)',
  },
  {
    name: 'an API server without etcd is left running while the rewrite is finished',
    file: 'src/repairs/finish-rewrite.ts',
    from: "if (stale.some(({ file }) => file === '/etc/kubernetes/manifests/etcd.yaml')) {",
    to: "if (stale.some(({ file }) => file === '/etc/kubernetes/manifests/none.yaml')) {",
  },
  {
    name: 'the kubelet keeps its back-off after the certificate was made again',
    file: 'src/repairs/certificates.ts',
    from: "step: { kind: 'restart-unit', node: subject, unit: 'kubelet' },",
    to: "step: { kind: 'wait-boot', node: subject },",
  },
  {
    name: 'a container that is started is not waited for',
    file: 'src/repairs/start-containers.ts',
    from: '...(isNode ? [',
    to: '...(isNode && subject === reason ? [',
  },
  {
    name: 'a restart policy is set to none instead of to that of kind',
    file: 'src/repairs/start-containers.ts',
    from: "policy: { name: 'on-failure', maximumRetryCount: 1 },",
    to: "policy: { name: 'no', maximumRetryCount: 0 },",
  },
  {
    name: "a component's kubeconfig is mended, and the component goes on with the old one",
    file: 'src/repairs/endpoints.ts',
    from: "step: { kind: 'restart-component', node: subject, component },",
    to: "step: { kind: 'wait-boot', node: subject },",
  },
];
