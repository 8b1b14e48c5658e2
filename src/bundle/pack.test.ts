import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { makeFacts, withWorkers } from '../facts/testing/facts.ts';
import { type BundleMaterial, packBundle } from './pack.ts';
import { readRecording } from './read.ts';
import { unpackAll } from './testing/unpack.ts';
import { encodings, type Planted, plantedSecrets, reveals } from './testing/secrets.ts';

const facts = makeFacts(withWorkers);
/** As facts, and small, so that many may be packed. */
const few = { format: facts.format, cluster: facts.cluster, nodes: {} };
const material: BundleMaterial = {
  madeAt: new Date('2026-05-04T09:15:00Z'),
  version: '1.2.3',
  hostPlatform: 'linux',
  cluster: facts.cluster,
  files: [{ path: ['facts.json'], what: 'what was observed', contents: { json: facts } }],
  missing: [],
};

const small: BundleMaterial = {
  ...material,
  files: [{ path: ['facts.json'], what: 'what was observed', contents: { json: few } }],
};

function makeLog(text: string): BundleMaterial['files'][number] {
  return { path: ['logs', 'idp-mvp-worker', 'kubelet.log'], what: 'log of kubelet', contents: { text } };
}

type Place = (text: string) => BundleMaterial;
/** Beside the facts as they are. */
const withFacts = (file: BundleMaterial['files'][number]): BundleMaterial => ({
  ...material,
  files: [...material.files, file],
});
const withFile = (file: BundleMaterial['files'][number]): BundleMaterial => ({
  ...small,
  files: [...small.files, file],
});
const changed = (change: Partial<typeof facts>): BundleMaterial => ({
  ...material,
  files: [{ path: ['facts.json'], what: 'what was observed', contents: { json: { ...few, ...change } } }],
});
const places: Readonly<Record<string, Place>> = {
  'a log line': (text) =>
    withFile(makeLog(`I1130 18:44:59.1 1 a.go:1] before\nE1130 18:45:00.1 1 b.go:2] ${text}\nafter\n`)),
  'a log': (text) => withFile(makeLog(text)),
  'a journal entry': (text) =>
    withFile({
      path: ['runs', 'x.jsonl'],
      what: 'journal',
      contents: { lines: [{ type: 'step-failed', at: '', round: 1, step: '1', reason: `exit code 1: ${text}` }] },
    }),
  'the name of a container': (text) =>
    changed({
      network: { ok: true, value: { name: 'kind', subnets: [], members: [{ container: text, ipv4: '', ipv6: '' }] } },
    }),
  'the name of a node': (text) => changed({ nodes: { [`${text} x`]: { ok: false, reason: 'gone' } } }),
  'the free text of a fact': (text) => changed({ kubeconfig: { ok: false, reason: `x: ${text}` } }),
  'the text of an error': (text) => ({ ...small, missing: [{ what: `log on ${text}`, reason: `failed: ${text}` }] }),
  'the path of a file': (text) =>
    withFile({ path: ['logs', text, 'kubelet.log'], what: text, contents: { text: 'nothing\n' } }),
};

async function packToText(given: BundleMaterial): Promise<string> {
  const { name, manifest, contents } = await packBundle(given);
  const files = await unpackAll(contents);
  return [name, JSON.stringify(manifest), ...[...files].map(([path, text]) => `${path}\n${text}`)].join('\n');
}

describe('a planted secret is in nothing that is packed', () => {
  test.each(Object.keys(plantedSecrets))(
    '%s',
    async (kind) => {
      await fc.assert(
        fc.asyncProperty(
          plantedSecrets[kind] ?? fc.constant<Planted>({ kind, core: '', text: '' }),
          fc.constantFrom(...Object.keys(encodings)),
          fc.constantFrom(...Object.keys(places)),
          async ({ core, text }, encoding, place) => {
            const encoded = encodings[encoding]?.(text) ?? '';
            const packed = await packToText(places[place]?.(encoded) ?? material);
            expect({ encoding, place, text, revealed: reveals(packed, core) }).toMatchObject({ revealed: false });
            expect(packed).toContain('"kind"');
          },
        ),
        { numRuns: 25 },
      );
    },
    60_000,
  );
});

it('hides everywhere what one place gives away, in every form', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc
        .constantFrom('password', 'secretNames', 'awsSecret', 'dockerAuth', 'basicHeader')
        .chain((kind) => plantedSecrets[kind] ?? fc.constant(null)),
      fc.constantFrom(...Object.values(encodings)),
      async (planted, encode) => {
        if (planted === null) throw new Error('no such kind');
        const packed = await packToText({
          ...withFile(makeLog(`${planted.text}\n`)),
          missing: [{ what: 'x', reason: `before ${encode(planted.core)} after` }],
        });
        expect(reveals(packed, planted.core)).toBe(false);
      },
    ),
    { numRuns: 200 },
  );
}, 60_000);

it('lists what it removed by kind and file, and says so where it stood', async () => {
  const { manifest, contents } = await packBundle(
    withFile(
      makeLog('E1 password=hunter2x\nE2 --token ghp_0123456789abcdefghijABCDEFGHIJ012345\nE3 password=hunter2x\n'),
    ),
  );
  const file = 'logs/idp-mvp-worker/kubelet.log';
  expect(manifest.removed).toEqual([
    { kind: 'password', file, count: 2 },
    { kind: 'GitHub token', file, count: 1 },
  ]);
  expect((await unpackAll(contents)).get(`rekindle-idp-mvp-20260504-091500/${file}`)).toBe(
    'E1 [removed: password]\nE2 --token [removed: GitHub token]\nE3 [removed: password]\n'
      .replaceAll('1 [', '1 password=[')
      .replaceAll('3 [', '3 password=['),
  );
});

describe('what a diagnosis needs stays', () => {
  it('facts come back as they were', async () => {
    const { manifest, contents } = await packBundle(material);
    expect(manifest.removed).toEqual([]);
    expect(await readRecording(contents)).toEqual(facts);
  });

  it.each([
    'E1130 18:45:00.123456     612 kubelet_node_status.go:106] "Unable to register node with API server" err="Post \\"https://172.18.0.4:6443/api/v1/nodes\\": dial tcp 172.18.0.4:6443: connect: connection refused" node="idp-mvp-control-plane"',
    'x509: certificate is valid for 10.96.0.1, 172.18.0.2, not 172.18.0.4, fc00:f853:ccd:e793::4',
    `sha256 Fingerprint=${'9F:'.repeat(31)}9F caSha256 ${'0f'.repeat(32)}`,
    'Pulled image "docker.io/kindest/kindnetd:v20250512-df8de77b@sha256:7a9c9fa59dd517cdc2c82eef1e51392524dd285e9cf7cb5a851c49f294d6cd11"',
    'https://registry.example.org:5000/a/b@sha256:1234 http://127.0.0.1:2379 https://[fc00:f853:ccd:e793::2]:6443',
    '--tls-private-key-file=/etc/kubernetes/pki/apiserver.key --service-account-signing-key-file=/x/sa.key --enable-bootstrap-token-auth=true',
    'MountVolume.SetUp failed for volume "kube-api-access-x7k2p" (UniqueName: "kubernetes.io/projected/0b1e7d2c-5a39-4f3e-8d2a-1f3f2f7d9a10-kube-api-access-x7k2p")',
    'pod="kube-system/kube-apiserver-idp-mvp-control-plane" podUID="2f1e7d2c5a394f3e8d2a1f3f2f7d9a10" containerID="containerd://7a9c9fa59dd517cdc2c82eef1e51392524dd285e9cf7cb5a851c49f294d6cd11"',
    '{"level":"warn","ts":"2026-11-30T18:45:00.123456Z","caller":"etcdserver/util.go:170","msg":"apply request took too long","took":"120.5ms","prefix":"read-only range "}',
    'kindest/node:v1.34.0@sha256:7a9c9fa59dd517cdc2c82eef1e51392524dd285e9cf7cb5a851c49f294d6cd11 npm:left-pad@1.3.0 ada@build.example.org user@1000.service',
    'I1130 18:45:00.123456 612 httplog.go:134] "HTTP" verb="LIST" URI="/api/v1/pods?fieldSelector=spec.nodeName%3Didp-mvp-worker&labelSelector=app%20in%20%28token%2Cweb%29" srcIP="172.18.0.4:41732"',
    'the password is wrong; password authentication failed for user "ada"; <name>a</name>',
    'no cluster-info: /kind/kubeadm.conf advertiseAddress: 172.18.0.2, ssh://ada@build.example.org',
  ])('%s', async (line) => {
    const { contents, manifest } = await packBundle(withFile(makeLog(`${line}\n`)));
    expect(manifest.removed).toEqual([]);
    expect([...(await unpackAll(contents)).values()]).toContain(`${line}\n`);
  });

  it('what only has the name of a secret', async () => {
    const line =
      '{"Plugins":{"Authorization":null,"Log":["OomKillDisable"]}} failed to fetch token: serviceaccounts "x" is forbidden';
    const packed = await packToText(withFile(makeLog(line)));
    expect(packed).toContain(line);
  });

  it('an error around the word token keeps its address', async () => {
    const line = 'failed to fetch token: Post "https://172.18.0.2:6443/api": dial tcp 172.18.0.2:6443: i/o timeout';
    const packed = await packToText(withFile(makeLog(line)));
    expect(packed).toContain('dial tcp 172.18.0.2:6443: i/o timeout');
    expect(packed).toContain('https://172.18.0.2:6443/api');
  });

  it('the addresses beside a token do', async () => {
    const log =
      'discovery:\n  bootstrapToken:\n    apiServerEndpoint: idp-mvp-control-plane:6443\n    token: abcdef.0123456789abcdef\n';
    const endpoint = 'server: https://idp-mvp-control-plane:6443';
    const packed = await packToText({ ...withFile(makeLog(log)), missing: [{ what: 'x', reason: endpoint }] });
    expect(packed).toContain(endpoint);
    expect(packed).not.toContain('0123456789abcdef');
  });

  it("a secret that is called as a node or the cluster does not hide the node's name", async () => {
    const packed = await packToText(withFacts(makeLog('password=idp-mvp-control-plane\ntoken: idp-mvp\n')));
    expect(packed).toContain('"name": "idp-mvp-control-plane"');
  });
});

it('keeps nodes apart whose names become the same', async () => {
  const nodes = Object.fromEntries(
    ['ghp_0123456789abcdefghijABCDEFGHIJ012345', 'ghp_1123456789abcdefghijABCDEFGHIJ012345'].map((name) => [
      name,
      { ok: false as const, reason: 'gone' },
    ]),
  );
  const read = await readRecording((await packBundle(changed({ ...facts, nodes }))).contents);
  expect(Object.keys(read.nodes)).toEqual(['[removed: GitHub token]', '[removed: GitHub token] (2)']);
});

it('hides the end of a key whose beginning the log has lost', async () => {
  const line = 'MIICXAIBAAKBgQC7'.repeat(4);
  const packed = await packToText(withFile(makeLog(`${line}\n${line}\n-----END RSA PRIVATE KEY-----\nafter\n`)));
  expect(packed).not.toContain(line);
  expect(packed).toContain('after');
});

it('is through with long lines at once', async () => {
  const long = [
    'a.-'.repeat(30_000),
    'A'.repeat(200_000),
    'token-'.repeat(20_000),
    'https://'.repeat(10_000),
    '"kind":"Secret"'.repeat(3_000),
    '-u a'.repeat(10_000),
    '--password '.repeat(5_000),
  ].join('\n');
  expect(await packToText(withFile(makeLog(long)))).toContain('A'.repeat(1000));
}, 20_000);
