import { X509Certificate } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Authority, type IssuedCertificate, issueCertificate, makeAuthority } from '../pki/testing/issue.ts';
import { readCredentials, summarizeKubeconfig } from './summarize.ts';

let ca: Authority;
let admin: IssuedCertificate;

beforeAll(async () => {
  ca = await makeAuthority({ commonName: 'kubernetes' });
  admin = await issueCertificate({
    ca,
    commonName: 'kubernetes-admin',
    notBefore: new Date('2026-01-03T04:05:06Z'),
    notAfter: new Date('2027-01-03T04:05:06Z'),
  });
});

const encode = (text: string) => Buffer.from(text).toString('base64');

/** As kubeadm writes it. */
function makeKubeletConf(server: string): string {
  return `apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: ${encode(ca.certificatePem)}
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
preferences: {}
users:
- name: default-auth
  user:
    client-certificate: /var/lib/kubelet/pki/kubelet-client-current.pem
    client-key: /var/lib/kubelet/pki/kubelet-client-current.pem
`;
}

function makeAdminConf(): string {
  return makeKubeletConf('https://idp-mvp-control-plane:6443')
    .replace(
      'client-certificate: /var/lib/kubelet/pki/kubelet-client-current.pem',
      `client-certificate-data: ${encode(admin.certificatePem)}`,
    )
    .replace(
      'client-key: /var/lib/kubelet/pki/kubelet-client-current.pem',
      `client-key-data: ${encode(admin.privateKeyPem)}`,
    );
}

test('kubelet.conf with an address', () => {
  expect(summarizeKubeconfig(makeKubeletConf('https://172.18.0.2:6443'))).toEqual({
    ok: true,
    value: {
      server: 'https://172.18.0.2:6443',
      host: '172.18.0.2',
      port: 6443,
      hostIsAddress: true,
      serverText: 'server: https://172.18.0.2:6443',
      caSha256: new X509Certificate(ca.certificatePem).fingerprint256.replaceAll(':', '').toLowerCase(),
    },
  });
});

test('admin.conf with its certificate, and no key in the summary', () => {
  const summary = summarizeKubeconfig(makeAdminConf());
  expect(summary).toMatchObject({
    ok: true,
    value: {
      host: 'idp-mvp-control-plane',
      hostIsAddress: false,
    },
  });
  expect(JSON.stringify(summary)).not.toContain(encode(admin.privateKeyPem).slice(60, 100));
});

test.each([
  ['https://[FC00:F853:CCD:E793:0:0:0:3]:6443', 'fc00:f853:ccd:e793::3', 6443, true],
  ['https://localhost', 'localhost', 443, false],
])('the address of %s', (server, host, port, hostIsAddress) => {
  expect(summarizeKubeconfig(makeKubeletConf(`"${server}"`))).toMatchObject({
    value: { host, port, hostIsAddress, serverText: `server: "${server}"` },
  });
});

describe('a reason instead of a summary', () => {
  test.each([
    ['an empty file', '', 'empty'],
    ['no YAML', 'a: [', 'line 1'],
    ['no current context', 'clusters: []\n', 'no current context'],
    ['a context that is not there', 'current-context: a\n', '"a" is not in'],
    [
      'no server',
      'current-context: a\ncontexts: [{name: a, context: {cluster: b}}]\nclusters: [{name: b}]\n',
      'no server',
    ],
    [
      'no URL',
      'current-context: a\ncontexts: [{name: a, context: {cluster: b}}]\nclusters: [{name: b, cluster: {server: "::"}}]\n',
      'no URL',
    ],
  ])('%s', (_, text, reason) => {
    expect(summarizeKubeconfig(text)).toEqual({ ok: false, reason: expect.stringContaining(reason) });
  });
});

describe('credentials', () => {
  test('of admin.conf', () => {
    expect(readCredentials(makeAdminConf())).toEqual({
      ok: true,
      value: {
        certificateAuthority: ca.certificatePem,
        clientCertificate: admin.certificatePem,
        clientKey: admin.privateKeyPem,
      },
    });
  });

  test('a file without embedded ones gives a reason', () => {
    expect(readCredentials(makeKubeletConf('https://a:1'))).toEqual({
      ok: false,
      reason: expect.stringContaining('client-certificate-data'),
    });
  });
});
