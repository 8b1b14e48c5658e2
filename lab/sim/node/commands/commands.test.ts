import { X509Certificate } from 'node:crypto';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { encodeOperations } from '../../../../src/node/operations.ts';
import { connectThroughNode } from '../../../../src/kube/kubectl.ts';
import type { NodeProcesses } from '../../contracts.ts';
import { createTestCluster, runIn, type TestCluster } from '../testing/cluster.ts';

// Certificates are real ones, and the machine may have much else to do.
vi.setConfig({ testTimeout: 60_000 });

const node = 'dev-control-plane';
let cluster: TestCluster;

beforeEach(async () => {
  cluster = createTestCluster();
  await cluster.start(node, 2);
});

const run = (...argv: string[]) => runIn(cluster.guest(node), argv);
const files = () => cluster.guest(node).files;

describe('what the lab does to files', () => {
  it.each([
    ['/etc/kubernetes/manifests/etcd.yaml', '/etc/kubernetes/.lab-staged', 0o600],
    ['/kind/kubeadm.conf', '/.lab-staged', 0o600],
    ['/var/lib/kubelet/kubeadm-flags.env', '/var/lib/.lab-staged', 0o644],
    ['/usr/local/bin/entrypoint', '/usr/local/.lab-staged', 0o755],
  ])('edits %s as the lab does: copied beside, written, moved into place', async (path, staged, mode) => {
    expect(await run('cp', '--preserve=all', path, staged)).toMatchObject({ exitCode: 0 });
    expect(await runIn(cluster.guest(node), ['dd', `of=${staged}`, 'status=none'], 'kind: Pod\n')).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: '',
    });
    expect(await run('mv', staged, path)).toMatchObject({ exitCode: 0 });
    expect(await run('cat', path)).toMatchObject({ exitCode: 0, stdout: 'kind: Pod\n' });
    expect(files().stat(path)?.mode).toBe(mode);
    expect(files().stat(staged)).toBeUndefined();
  });

  it.each<[string, string[], number, string]>([
    ['reads what is not there', ['cat', '/none'], 1, 'cat: /none: No such file or directory\n'],
    ['moves what is not there', ['mv', '/none', '/root/x'], 1, "mv: cannot stat '/none': No such file or directory\n"],
    ['removes by force', ['rm', '-f', '/none'], 0, ''],
    ['removes a folder', ['rm', '-f', '/kind'], 1, "rm: cannot remove '/kind': Is a directory\n"],
    ['tests for a file', ['test', '-f', '/kind/version'], 0, ''],
    ['tests for none', ['test', '-f', '/kind'], 1, ''],
    ['makes a folder twice', ['mkdir', '/kind'], 1, "mkdir: cannot create directory '/kind': File exists\n"],
    ['greps in vain', ['grep', '-q', 'nothing', '/kind/version'], 1, ''],
    ['ends as it is told', ['sh', '-c', 'exit 3'], 3, ''],
    ['runs one command in a shell', ['bash', '-c', "test -f '/kind/version'"], 0, ''],
    [
      'has no shell for more',
      ['sh', '-c', 'cat /a | grep b'],
      127,
      'the simulated node has no shell: it runs single commands only, not "-c cat /a | grep b"\n',
    ],
  ])('%s', async (_, argv, exitCode, stderr) => {
    expect(await run(...argv)).toMatchObject({ exitCode, stderr });
  });

  it('substitutes in place', async () => {
    await run('sed', '-i', String.raw`s|172\.18\.0\.2|172.18.0.251|g`, '/kind/kubeadm.conf');
    expect(
      files()
        .readText('/kind/kubeadm.conf')
        ?.match(/172\.18\.0\.251/g),
    ).toHaveLength(4);
  });

  it('lists and finds', async () => {
    expect((await run('ls', '/etc/kubernetes/manifests')).stdout.split('\n')).toEqual([
      'etcd.yaml',
      'kube-apiserver.yaml',
      'kube-controller-manager.yaml',
      'kube-scheduler.yaml',
      '',
    ]);
    expect((await run('ls', '-la', '/etc/kubernetes/manifests')).stdout).toMatch(
      /\n-rw------- 1 root root +\d+ Nov 30 21:00 etcd\.yaml\n/,
    );
    expect((await run('stat', '-c', '%a %U %F', '/kind/kubeadm.conf')).stdout).toBe('600 root regular file\n');
    expect((await run('find', '/kind', '-type', 'f', '-name', 'old-*', '-printf', '%m %U:%G  %p\\n')).stdout).toBe(
      '644 0:0  /kind/old-ipv4\n644 0:0  /kind/old-ipv6\n',
    );
    expect(
      (await run('find', '/kind', '-type', 'f', '-name', 'version', '-exec', 'sha256sum', '{}', '+')).stdout,
    ).toMatch(/^[0-9a-f]{64} {2}\/kind\/version\n$/);
  });

  it('says what Docker says of a command that is not there', async () => {
    expect(await run('vim', '/kind/version')).toMatchObject({
      exitCode: 127,
      stdout:
        'OCI runtime exec failed: exec failed: unable to start container process: exec: "vim": executable file not found in $PATH: unknown\r\n',
    });
  });
});

describe('system commands', () => {
  it('shows units as systemd does', async () => {
    const { stdout } = await run(
      'systemctl',
      'show',
      'kubelet',
      'containerd',
      '--property=Id,ActiveState,SubState,NRestarts,ActiveEnterTimestamp',
    );
    const block = (id: string) =>
      `NRestarts=0\nId=${id}.service\nActiveState=active\nSubState=running\nActiveEnterTimestamp=Mon 2026-11-30 21:00:00 UTC\n`;
    expect(stdout).toBe(`${block('kubelet')}\n${block('containerd')}`);
  });

  it('controls units', async () => {
    await run('systemctl', 'reset-failed', 'kubelet');
    await run('systemctl', 'restart', 'kubelet');
    expect(cluster.processes.get(node)?.calls).toEqual(['reset-failed kubelet', 'restart kubelet']);
    expect(await run('systemctl', 'restart', 'sshd')).toMatchObject({
      exitCode: 5,
      stderr: 'Failed to restart sshd.service: Unit sshd.service not found.\n',
    });
  });

  it('shows the end of a journal', async () => {
    const { stdout } = await run('journalctl', '-u', 'kubelet', '-n', '2', '--no-pager', '-o', 'cat');
    expect(stdout).toBe('kubelet says two\nkubelet says three\n');
  });

  it('lists and stops containers', async () => {
    const ids = await run('crictl', 'ps', '--quiet', '--name', '^etcd$');
    expect(ids.stdout).toBe(`${'1'.repeat(64)}\n`);
    expect(await run('crictl', 'stop', '--timeout', '5', ids.stdout.trim())).toMatchObject({ exitCode: 0 });
    expect((await run('crictl', 'ps', '-q', '--name', '^etcd$')).stdout).toBe('');
    const { containers } = JSON.parse((await run('crictl', 'ps', '-a', '-o', 'json', '--name', '^etcd$')).stdout) as {
      containers: { state: string; createdAt: string; metadata: { attempt: number } }[];
    };
    expect(containers).toMatchObject([{ state: 'CONTAINER_EXITED', metadata: { attempt: 2 } }]);
    expect(containers[0]?.createdAt).toMatch(/^\d{19}$/);
    expect((await run('crictl', 'logs', '--tail', '1', '1111')).stdout).toBe('etcd two\n');
    expect(await run('crictl', 'stop', 'ffff')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('NotFound'),
    });
  });

  it('prints containers in columns', async () => {
    const [titles, first] = (await run('crictl', 'ps')).stdout.split('\n');
    expect(titles).toBe(
      'CONTAINER           IMAGE               CREATED             STATE               NAME                      ATTEMPT             POD ID              POD                           NAMESPACE',
    );
    expect(first).toMatch(
      /^1{13} {7}[0-9a-f]{13} {7}\d seconds ago {7}Running {13}etcd {22}2 {19}[0-9a-f]{13} {7}etcd-box {22}kube-system$/,
    );
  });

  it('reads and sets kernel settings', async () => {
    const setting = 'fs.inotify.max_user_instances';
    expect((await run('sysctl', '-n', setting)).stdout).toBe('128\n');
    expect((await run('sysctl', '-w', `${setting}=12`)).stdout).toBe(`${setting} = 12\n`);
    expect((await run('sysctl', 'fs.inotify')).stdout).toBe(
      'fs.inotify.max_user_instances = 12\nfs.inotify.max_user_watches = 192536\n',
    );
  });

  it('tells the time and addresses', async () => {
    expect((await run('date', '+%s%3N')).stdout).toBe(`${cluster.clock.now()}\n`);
    expect((await run('getent', 'ahosts', node)).stdout).toBe(
      `fc00:f853:ccd:e793::2 STREAM ${node}\nfc00:f853:ccd:e793::2 DGRAM  \nfc00:f853:ccd:e793::2 RAW    \n172.18.0.2      STREAM \n172.18.0.2      DGRAM  \n172.18.0.2      RAW    \n`,
    );
    expect(await run('getent', 'ahosts', 'dev-worker')).toMatchObject({ exitCode: 2, stdout: '' });
    const links = JSON.parse((await run('ip', '-j', 'address', 'show', 'up')).stdout) as Record<string, unknown>[];
    expect(links[1]).toMatchObject({ ifname: 'eth0', address: '02:42:ac:12:00:02' });
    expect((await run('hostname')).stdout).toBe(`${node}\n`);
  });
});

describe('certificates', () => {
  const crt = '/etc/kubernetes/pki/apiserver.crt';

  it('are made for the address in the configuration', async () => {
    await run('rm', '-f', crt, '/etc/kubernetes/pki/apiserver.key');
    const text = files().readText('/kind/kubeadm.conf')?.replaceAll('172.18.0.2', '172.18.0.251') ?? '';
    await runIn(cluster.guest(node), ['dd', 'of=/root/lab-kubeadm.conf', 'status=none'], text);
    expect(await run('kubeadm', 'init', 'phase', 'certs', 'apiserver', '--config', '/root/lab-kubeadm.conf')).toEqual({
      exitCode: 0,
      stderr: '',
      stdout:
        '[certs] Generating "apiserver" certificate and key\n[certs] apiserver serving cert is signed for DNS names [dev-control-plane kubernetes kubernetes.default kubernetes.default.svc kubernetes.default.svc.cluster.local localhost] and IPs [10.96.0.1 172.18.0.251 127.0.0.1]\n',
    });
    const made = new X509Certificate(files().read(crt) ?? '');
    expect(made.checkIP('172.18.0.251')).toBe('172.18.0.251');
    expect(made.verify(new X509Certificate(files().read('/etc/kubernetes/pki/ca.crt') ?? '').publicKey)).toBe(true);
    expect((await run('openssl', 'x509', '-in', crt, '-noout', '-ext', 'subjectAltName')).stdout).toContain(
      'IP Address:172.18.0.251',
    );
    expect((await run('openssl', 'x509', '-in', crt, '-noout', '-enddate')).stdout).toBe(
      'notAfter=Nov 30 21:00:03 2027 GMT\n',
    );
  });

  it('are kept where they are there and fit', async () => {
    const before = files().readText(crt);
    const config = ['--config', '/kind/kubeadm.conf'];
    expect(await run('kubeadm', 'init', 'phase', 'certs', 'apiserver', ...config)).toMatchObject({
      exitCode: 0,
      stdout: '[certs] Using existing apiserver certificate and key on disk\n',
    });
    expect(files().readText(crt)).toBe(before);
  });

  it.each<[string, string[], RegExp]>([
    [
      "the authority's key is missing",
      ['/etc/kubernetes/pki/ca.key', crt, '/etc/kubernetes/pki/apiserver.key'],
      /couldn't load the private key file \/etc\/kubernetes\/pki\/ca\.key/,
    ],
    ['only the key is there', [crt], /failure loading apiserver certificate/],
    ['there is no configuration', ['/kind/kubeadm.conf'], /open \/kind\/kubeadm\.conf: no such file/],
  ])('are not made where %s', async (_, missing, reason) => {
    for (const path of missing) files().remove(path);
    expect(await run('kubeadm', 'init', 'phase', 'certs', 'apiserver', '--config', '/kind/kubeadm.conf')).toMatchObject(
      {
        exitCode: 1,
        stderr: expect.stringMatching(reason),
      },
    );
  });

  it('have keys whose public half openssl prints', async () => {
    const { stdout } = await run('openssl', 'pkey', '-in', '/etc/kubernetes/pki/apiserver.key', '-pubout');
    const certificate = new X509Certificate(files().read(crt) ?? '');
    expect(stdout).toBe(certificate.publicKey.export({ type: 'spki', format: 'pem' }));
    expect(await run('openssl', 'pkey', '-in', '/none', '-pubout')).toMatchObject({ exitCode: 1 });
  });
});

describe('etcd', () => {
  it('saves a snapshot by the client in its own container', async () => {
    const pid = (await run('pidof', '-s', 'etcd')).stdout.trim();
    const pki = '/etc/kubernetes/pki/etcd';
    const argv = [
      `/proc/${pid}/root/usr/local/bin/etcdctl`,
      '--endpoints=https://127.0.0.1:2379',
      `--cacert=${pki}/ca.crt`,
      `--cert=${pki}/healthcheck-client.crt`,
      `--key=${pki}/healthcheck-client.key`,
      '--command-timeout=25s',
    ];
    expect(await run(...argv, 'snapshot', 'save', '/var/lib/x.db')).toMatchObject({ exitCode: 0 });
    expect(files().readText('/var/lib/x.db')).toBe('snapshot');
    files().remove(`${pki}/healthcheck-client.key`);
    expect(await run(...argv, 'snapshot', 'save', '/var/lib/y.db')).toMatchObject({ exitCode: 128 });
    expect(await run('/proc/999/root/usr/local/bin/etcdctl', 'version')).toMatchObject({ exitCode: 127 });
  });
});

describe('the API from inside', () => {
  const limits = { timeoutMs: 5000 };
  const answerWith = async (askApi: NodeProcesses['askApi']) => {
    cluster = createTestCluster({ processes: { askApi } });
    await cluster.start(node, 2);
  };
  const probe = () => {
    const url = 'https://172.18.0.2:6443/readyz';
    const ca = '/etc/kubernetes/pki/ca.crt';
    return run('curl', '--silent', '--fail', '--output', '/dev/null', '--max-time', '3', '--cacert', ca, url);
  };

  it.each<[number, Awaited<ReturnType<NodeProcesses['askApi']>>]>([
    [0, { ok: true, status: 200, body: Buffer.from('ok'), contentType: 'text/plain' }],
    [22, { ok: true, status: 500, body: Buffer.from('[-]etcd failed'), contentType: 'text/plain' }],
    [7, { ok: false, why: 'refused', reason: 'nobody listens' }],
    [60, { ok: false, why: 'tls', reason: 'x509: certificate is valid for 172.18.0.251, not 172.18.0.2' }],
    [28, { ok: false, why: 'timeout', reason: 'nothing came' }],
  ])('ends curl with %i', async (exitCode, answer) => {
    await answerWith(() => Promise.resolve(answer));
    expect(await probe()).toEqual({ exitCode, stdout: '', stderr: '' });
  });

  it('gives up with the time limit where no answer ever comes', async () => {
    await answerWith(() => new Promise(() => undefined));
    const pending = probe();
    await cluster.clock.advance(3000);
    expect(await pending).toMatchObject({ exitCode: 28 });
  });

  it("carries the requests of the product's own client", async () => {
    const asked: string[] = [];
    await answerWith(({ host, port, method, path, headers = {}, body }) => {
      asked.push([host, port, method, path, headers['content-type'], body?.toString()].join(' '));
      const text = path.endsWith('/pods/gone')
        ? '{"kind":"Status","reason":"NotFound","message":"pods \\"gone\\" not found","code":404}'
        : '{"kind":"Pod"}';
      const status = path.endsWith('/pods/gone') ? 404 : 200;
      return Promise.resolve({ ok: true, status, body: Buffer.from(text), contentType: 'application/json' });
    });
    const kube = connectThroughNode(cluster.engine, node, { server: 'https://localhost:6443' });
    expect(await kube.get('/api/v1/namespaces/a/pods/b', limits)).toEqual({ kind: 'Pod' });
    await kube.patch('/apis/apps/v1/namespaces/a/deployments/b/scale', 'merge', { spec: {} }, limits);
    await kube.patch('/api/v1/nodes/b?dryRun=All', 'strategic', { spec: {} }, limits);
    await kube.delete('/api/v1/namespaces/a/pods/b', { ...limits, preconditionUid: 'u' });
    await expect(kube.get('/api/v1/namespaces/a/pods/gone', limits)).rejects.toMatchObject({ status: 404 });
    const json = 'application/json';
    expect(asked).toEqual([
      'localhost 6443 GET /api/v1/namespaces/a/pods/b  ',
      'localhost 6443 PATCH /apis/apps/v1/namespaces/a/deployments/b/scale application/merge-patch+json {"spec":{}}',
      'localhost 6443 PATCH /api/v1/nodes/b?dryRun=All application/strategic-merge-patch+json {"spec":{}}',
      `localhost 6443 DELETE /api/v1/namespaces/a/pods/b ${json} {"apiVersion":"v1","kind":"DeleteOptions","preconditions":{"uid":"u"}}`,
      'localhost 6443 GET /api/v1/namespaces/a/pods/gone  ',
    ]);
  });

  it.each<[string, Awaited<ReturnType<NodeProcesses['askApi']>>]>([
    ['unreachable', { ok: false, why: 'refused', reason: 'nobody listens' }],
    ['unreachable', { ok: false, why: 'tls', reason: 'x509: certificate is valid for 10.0.0.1, not localhost' }],
    ['unreachable', { ok: false, why: 'no-route', reason: 'dial tcp 172.18.0.9:6443: connect: no route to host' }],
    ['timeout', { ok: false, why: 'timeout', reason: 'nothing came' }],
  ])('is %s to the client where it cannot be reached', async (kind, answer) => {
    await answerWith(() => Promise.resolve(answer));
    await expect(connectThroughNode(cluster.engine, node).get('/readyz', limits)).rejects.toMatchObject({ kind });
  });

  it('refuses a client certificate of another authority', async () => {
    const other = createTestCluster().guest(node).files.readText('/etc/kubernetes/admin.conf') ?? '';
    files().write('/etc/kubernetes/admin.conf', other);
    const kube = connectThroughNode(cluster.engine, node);
    await expect(kube.get('/api/v1/nodes', limits)).rejects.toMatchObject({ status: 401 });
  });

  it('tells of failing checks in the words that the product reads', async () => {
    const body = Buffer.from('[+]ping ok\n[-]etcd failed: reason withheld\nreadyz check failed\n');
    await answerWith(() => Promise.resolve({ ok: true, status: 500, body, contentType: 'text/plain' }));
    const kube = connectThroughNode(cluster.engine, node);
    await expect(kube.get('/readyz', limits)).rejects.toThrow('[-]etcd failed');
  });

  it('watches by lists', async () => {
    const versions = ['3', '3', '9'];
    await answerWith(() => {
      const items = [{ metadata: { uid: 'a', resourceVersion: versions.shift() ?? '9' } }];
      const body = Buffer.from(JSON.stringify({ kind: 'PodList', apiVersion: 'v1', items }));
      return Promise.resolve({ ok: true, status: 200, body, contentType: 'application/json' });
    });
    const stop = new AbortController();
    const kube = connectThroughNode(cluster.engine, node);
    const stream = kube.watch('/api/v1/pods', { resourceVersion: '3', signal: stop.signal });
    const events = stream[Symbol.asyncIterator]();
    const first = events.next();
    const waiting = Symbol('waiting');
    while ((await Promise.race([first, new Promise((resolve) => setImmediate(resolve, waiting))])) === waiting) {
      await cluster.clock.advance(1000);
    }
    expect(await first).toMatchObject({
      value: { type: 'MODIFIED', object: { kind: 'Pod', metadata: { uid: 'a', resourceVersion: '9' } } },
    });
    stop.abort();
    expect(await events.next()).toMatchObject({ done: true });
  });
});

describe("the product's program", () => {
  it('gives up a command that takes too long', async () => {
    cluster = createTestCluster({ processes: { askApi: () => new Promise(() => undefined) } });
    await cluster.start(node, 2);
    const { argv } = encodeOperations([{ op: 'run', argv: ['kubectl', 'get', '--raw', '/readyz'], timeoutSeconds: 5 }]);
    const pending = run(...argv);
    await cluster.clock.advance(5000);
    expect((await pending).stdout).toContain('exit 124');
  });
});
