import type { Repair } from './repair.ts';

export const remakeApiserverCertificate: Repair = {
  mends: ['certificates/apiserver-address-missing', 'certificates/apiserver-missing'],
  title:
    "Makes the API server's certificate again inside the node, with the cluster's own authority, and restarts the API server; nothing is recreated",
  byHand: [
    'docker exec {node} sh -c "cd /etc/kubernetes/pki && cp -a apiserver.crt apiserver.key /var/tmp/ && rm -f apiserver.crt apiserver.key"',
    'docker exec {node} kubeadm init phase certs apiserver --config /kind/kubeadm.conf',
    "docker exec {node} sh -c 'crictl ps -q --name kube-apiserver | xargs crictl stop'",
  ],
  propose: ({ id, subject }) => ({
    kind: 'steps',
    steps: [
      {
        step: { kind: 'remake-certificate', node: subject, certificate: 'apiserver' },
        risk: 'safe',
        reason:
          id === 'certificates/apiserver-missing'
            ? 'certificate and key are not there, or do not belong together'
            : "the certificate does not name the node's present address",
      },
      {
        step: { kind: 'restart-component', node: subject, component: 'kube-apiserver' },
        risk: 'safe',
        reason: 'the API server serves the certificate that it read when it started',
      },
      // An API server that failed without its certificate is in back-off; only a fresh kubelet forgets that.
      {
        step: { kind: 'restart-unit', node: subject, unit: 'kubelet' },
        risk: 'safe',
        reason: "a restart clears the kubelet's back-off for the API server's container",
      },
    ],
  }),
};
