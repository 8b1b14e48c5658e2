import { describe, expect, test } from 'vitest';
import { parseKubeconfig } from './parse.ts';

const text = `apiVersion: v1
kind: Config
preferences: {}
future-field: {a: 1}
clusters:
- cluster:
    certificate-authority-data: QUE=
    server: https://127.0.0.1:41777
    extensions: []
  name: kind-idp-mvp
- cluster: {server: "https://second:1"}
  name: kind-idp-mvp
- cluster:
    certificate-authority: /ca.crt
    server: https://prod
    tls-server-name: api
  name: prod
contexts:
- context: {cluster: kind-idp-mvp, user: kind-idp-mvp, namespace: backstage}
  name: kind-idp-mvp
users:
- name: kind-idp-mvp
  user: {client-certificate-data: QkI=, client-key-data: U0VDUkVU}
- name: prod
  user: {token: SECRET, client-certificate: /a.crt}
- name: none
  user:
-
current-context: kind-idp-mvp
`;

test('gives clusters, contexts and users; the first of one name; no secrets', () => {
  const parsed = parseKubeconfig(text);
  expect(parsed).toEqual({
    ok: true,
    value: {
      clusters: [
        { name: 'kind-idp-mvp', server: 'https://127.0.0.1:41777', certificateAuthorityData: 'QUE=' },
        { name: 'prod', server: 'https://prod', certificateAuthorityFile: '/ca.crt', tlsServerName: 'api' },
      ],
      contexts: [{ name: 'kind-idp-mvp', cluster: 'kind-idp-mvp', user: 'kind-idp-mvp', namespace: 'backstage' }],
      users: [
        { name: 'kind-idp-mvp', clientCertificateData: 'QkI=' },
        { name: 'prod', clientCertificateFile: '/a.crt' },
        { name: 'none' },
      ],
      currentContext: 'kind-idp-mvp',
    },
  });
  expect(JSON.stringify(parsed)).not.toMatch(/SECRET|U0VDUkVU/);
});

describe('files with little in them', () => {
  const empty = { ok: true, value: { clusters: [], contexts: [], users: [], currentContext: '' } };
  test.each([
    ['empty', ''],
    ['comments', '# a\n\n'],
    ['null', 'null'],
    ['null sections', 'clusters: null\ncontexts:\nusers: ~\ncurrent-context:\n'],
    ['other fields', 'kind: Config\n'],
    ['JSON', '{"clusters":null,"contexts":[],"current-context":""}'],
  ])('%s', (_, sparse) => {
    expect(parseKubeconfig(sparse)).toEqual(empty);
  });
});

describe('what is no kubeconfig tells where', () => {
  test.each([
    ['a text', 'SECRET', 1, 1],
    ['zero bytes', '\0\0\0', 1, 1],
    ['broken YAML', 'kind: Config\nusers:\n- name: "SECRET\n', 4, 1],
    ['bad indentation', 'kind: Config\nclusters:\n- name: a\n   b: SECRET\n', 3, 9],
    ['a section of another shape', 'kind: Config\nusers: {a: SECRET}\n', 2, 8],
    ['an unknown alias', 'clusters: []\nusers: *SECRET\n', 2, 8],
  ])('%s', (_, broken, line, column) => {
    const parsed = parseKubeconfig(broken);
    expect(parsed).toEqual({ ok: false, message: expect.any(String), line, column });
    expect(JSON.stringify(parsed)).not.toContain('SECRET');
  });
});
