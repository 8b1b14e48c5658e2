import { type Repair, stopComponent } from './repair.ts';

/** Makes the API server's certificate again inside the node, with the cluster's own authority, and restarts the API server; nothing is recreated. */
export const remakeApiserverCertificate: Repair = {
  mends: ['certificates/apiserver-address-missing', 'certificates/apiserver-missing'],
  byHand: ({ subject }) => [
    `docker exec ${subject} sh -c 'cd /etc/kubernetes/pki && mv apiserver.crt apiserver.key /root/'`,
    `docker exec ${subject} kubeadm init phase certs apiserver --config /kind/kubeadm.conf`,
    stopComponent(subject, 'kube-apiserver'),
    `docker exec ${subject} systemctl restart kubelet`,
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
