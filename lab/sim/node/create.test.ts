import { createPrivateKey, X509Certificate } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { describeCertificate } from '../../../src/pki/certificates.ts';
import { summarizeKubeconfig } from '../../../src/kubeconfig/summarize.ts';
import type { FileSystem } from '../files.ts';
import { createTestCluster } from './testing/cluster.ts';

// Certificates are real ones, and the machine may have much else to do.
vi.setConfig({ testTimeout: 60_000 });

const pki = '/etc/kubernetes/pki';

function certificate(files: FileSystem, path: string): X509Certificate {
  return new X509Certificate(files.read(path) ?? '');
}

describe('a cluster just made', () => {
  const cluster = createTestCluster({ controlPlanes: 3, workers: 1 });
  const first = cluster.guest('dev-control-plane').files;

  it.each([
    ['apiserver', 'ca', 'CN=kube-apiserver'],
    ['apiserver-kubelet-client', 'ca', 'O=kubeadm:cluster-admins\nCN=kube-apiserver-kubelet-client'],
    ['apiserver-etcd-client', 'etcd/ca', 'CN=kube-apiserver-etcd-client'],
    ['front-proxy-client', 'front-proxy-ca', 'CN=front-proxy-client'],
    ['etcd/server', 'etcd/ca', 'CN=dev-control-plane'],
    ['etcd/peer', 'etcd/ca', 'CN=dev-control-plane'],
    ['etcd/healthcheck-client', 'etcd/ca', 'CN=kube-etcd-healthcheck-client'],
  ])('has %s signed by %s', (base, authority, subject) => {
    const made = certificate(first, `${pki}/${base}.crt`);
    const ca = certificate(first, `${pki}/${authority}.crt`);
    expect(made.subject).toBe(subject);
    expect(made.checkIssued(ca)).toBe(true);
    expect(made.verify(ca.publicKey)).toBe(true);
    expect(made.checkPrivateKey(createPrivateKey(first.readText(`${pki}/${base}.key`) ?? ''))).toBe(true);
    expect([made.ca, ca.ca]).toEqual([false, true]);
    expect(first.stat(`${pki}/${base}.key`)?.mode).toBe(0o600);
  });

  it("names in each etcd's certificates what kubeadm names", () => {
    const described = describeCertificate(cluster.guest('dev-control-plane2').files.read(`${pki}/etcd/peer.crt`) ?? '');
    expect(described).toMatchObject({
      ok: true,
      value: {
        dnsNames: ['dev-control-plane2', 'localhost'],
        ipAddresses: ['172.18.0.4', '127.0.0.1', '::1'],
        notBefore: '2026-11-30T20:55:00.000Z',
        notAfter: '2027-11-30T21:00:00.000Z',
      },
    });
  });

  it('shares its authorities and nothing else of its keys', () => {
    const second = cluster.guest('dev-control-plane2').files;
    for (const path of ['ca.key', 'etcd/ca.key', 'front-proxy-ca.key', 'sa.key', 'sa.pub'])
      expect(second.readText(`${pki}/${path}`)).toBe(first.readText(`${pki}/${path}`));
    for (const path of ['apiserver.key', 'etcd/peer.key'])
      expect(second.readText(`${pki}/${path}`)).not.toBe(first.readText(`${pki}/${path}`));
    expect(cluster.guest('dev-worker').files.list(pki)).toEqual(['ca.crt']);
  });

  it('leads each client to its server', () => {
    const server = (name: string, file: string) => {
      const summary = summarizeKubeconfig(cluster.guest(name).files.readText(`/etc/kubernetes/${file}.conf`) ?? '');
      return summary.ok ? summary.value.host : summary.reason;
    };
    expect(server('dev-control-plane', 'admin')).toBe('dev-external-load-balancer');
    expect(server('dev-control-plane', 'super-admin')).toBe('dev-external-load-balancer');
    expect(server('dev-control-plane', 'kubelet')).toBe('172.18.0.3');
    expect(server('dev-control-plane2', 'kubelet')).toBe('172.18.0.4');
    expect(server('dev-control-plane2', 'scheduler')).toBe('172.18.0.4');
    expect(server('dev-worker', 'kubelet')).toBe('dev-external-load-balancer');
    expect(cluster.guest('dev-control-plane2').files.list('/etc/kubernetes')).not.toContain('super-admin.conf');
  });

  it("gives each kubelet its own certificate, by the link that the kubelet's configuration names", () => {
    const { files } = cluster.guest('dev-worker');
    const current = '/var/lib/kubelet/pki/kubelet-client-current.pem';
    expect(files.stat(current, { follow: false })?.contents.toString()).toBe(
      '/var/lib/kubelet/pki/kubelet-client-2026-11-30-21-00-00.pem',
    );
    const client = certificate(files, current);
    expect(client.subject).toBe('O=system:nodes\nCN=system:node:dev-worker');
    expect(client.checkPrivateKey(createPrivateKey(files.readText(current) ?? ''))).toBe(true);
    expect(client.checkIssued(certificate(files, `${pki}/ca.crt`))).toBe(true);
  });

  it('has a load balancer that leads to every control plane', () => {
    const text = cluster.guest('dev-external-load-balancer').files.readText('/home/envoy/cds.yaml') ?? '';
    expect(text.match(/address: dev-\S+/g)).toEqual([
      'address: dev-control-plane',
      'address: dev-control-plane2',
      'address: dev-control-plane3',
    ]);
    const older = createTestCluster({ controlPlanes: 2, image: { loadBalancer: 'haproxy' } });
    expect(older.guest('dev-external-load-balancer').files.readText('/usr/local/etc/haproxy/haproxy.cfg')).toContain(
      'server dev-control-plane2 dev-control-plane2:6443',
    );
  });
});
