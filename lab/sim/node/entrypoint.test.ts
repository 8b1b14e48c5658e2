import { X509Certificate } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { FileSystem } from '../files.ts';
import { createClusterFiles } from './create.ts';
import { type BootSituation, bootUntil, willGiveUp } from './entrypoint.ts';
import { currentImage, nameContainers, type NodeImage } from './image.ts';
import { placeOf, testStart } from './testing/cluster.ts';

// Certificates are real ones, and the machine may have much else to do.
vi.setConfig({ testTimeout: 60_000 });

const now = () => testStart.getTime();

function create(image: Partial<NodeImage> = {}, counts = { controlPlanes: 1, workers: 1 }) {
  const topology = nameContainers('dev', counts).map((one, index) => ({ ...one, ...placeOf(index + 2) }));
  const files = createClusterFiles({
    cluster: 'dev',
    topology,
    image: { ...currentImage, ...image },
    now,
    random: () => 0.5,
  });
  return (name: string): FileSystem => {
    const found = files.get(name);
    if (found === undefined) throw new Error(`there is no container ${name}`);
    return found;
  };
}

function situation(hostname: string, number: number): BootSituation {
  return { hostname, ...placeOf(number), now };
}

/** Which of the addresses 172.18.0.x each file of the node names, x alone. */
function listAddresses(files: FileSystem): Record<string, string> {
  return Object.fromEntries(
    ['/etc', '/kind', '/var/lib/kubelet'].flatMap((folder) =>
      files.walk(folder).flatMap(({ path, entry }) => {
        if (entry.type !== 'file' || path === '/etc/hosts' || path.endsWith('.original')) return [];
        const text = entry.contents.toString('utf8');
        const named = path.endsWith('.crt') ? (new X509Certificate(text).subjectAltName ?? '') : text;
        const found = new Set([...named.matchAll(/172\.18\.0\.(\d+)/g)].map(([, last]) => last));
        return found.size === 0 ? [] : [[path, [...found].join(' ')]];
      }),
    ),
  );
}

describe('a boot with another address', () => {
  const rewrittenOnControlPlanes = {
    '/etc/kubernetes/controller-manager.conf': '7',
    '/etc/kubernetes/manifests/etcd.yaml': '7',
    '/etc/kubernetes/manifests/kube-apiserver.yaml': '7',
    '/etc/kubernetes/scheduler.conf': '7',
    '/etc/kubernetes/pki/apiserver.crt': '7',
    // Nobody ever touches these two.
    '/etc/kubernetes/pki/etcd/peer.crt': '2',
    '/etc/kubernetes/pki/etcd/server.crt': '2',
    '/etc/resolv.conf': '1',
    '/kind/kubeadm.conf': '7',
    '/kind/old-ipv4': '7',
    '/var/lib/kubelet/kubeadm-flags.env': '7',
  };

  it('is told to every file of a control plane by the current entrypoint', () => {
    const files = create()('dev-control-plane');
    expect(bootUntil(files, situation('dev-control-plane', 7))).toMatchObject({ finished: true, exitCode: undefined });
    expect(listAddresses(files)).toEqual({ ...rewrittenOnControlPlanes, '/etc/kubernetes/kubelet.conf': '7' });
    expect(files.readText('/kind/old-ipv6')).toBe('fc00:f853:ccd:e793::7');
  });

  it("leaves kubelet.conf behind where the image is older: the runbook's fault", () => {
    const files = create({ entrypoint: 'before-v0.30' })('dev-control-plane');
    bootUntil(files, situation('dev-control-plane', 7));
    expect(listAddresses(files)).toEqual({ ...rewrittenOnControlPlanes, '/etc/kubernetes/kubelet.conf': '2' });
  });

  it('harms nothing with an older image and an older Kubernetes, whose kubelet.conf names the host', () => {
    const files = create({ entrypoint: 'before-v0.30', kubernetes: 'v1.32.8' })('dev-control-plane');
    bootUntil(files, situation('dev-control-plane', 7));
    expect(listAddresses(files)).toEqual(rewrittenOnControlPlanes);
    expect(files.readText('/etc/kubernetes/kubelet.conf')).toContain('server: https://dev-control-plane:6443');
  });

  it("is told to a worker's few files", () => {
    const files = create()('dev-worker');
    bootUntil(files, situation('dev-worker', 7));
    expect(listAddresses(files)).toEqual({
      '/etc/resolv.conf': '1',
      '/kind/kubeadm.conf': '7',
      '/kind/old-ipv4': '7',
      '/var/lib/kubelet/kubeadm-flags.env': '7',
    });
  });

  it('changes only its own address in a joined control plane', () => {
    const files = create({}, { controlPlanes: 3, workers: 0 })('dev-control-plane3');
    bootUntil(files, situation('dev-control-plane3', 9));
    const manifest = files.readText('/etc/kubernetes/manifests/etcd.yaml') ?? '';
    expect(/--initial-cluster=(.*)/.exec(manifest)?.[1]).toBe(
      'dev-control-plane=https://172.18.0.3:2380,dev-control-plane2=https://172.18.0.4:2380,dev-control-plane3=https://172.18.0.9:2380',
    );
    expect(new X509Certificate(files.read('/etc/kubernetes/pki/apiserver.crt') ?? '').subjectAltName).toBe(
      'DNS:dev-control-plane3, DNS:dev-external-load-balancer, DNS:kubernetes, DNS:kubernetes.default, DNS:kubernetes.default.svc, DNS:kubernetes.default.svc.cluster.local, DNS:localhost, IP Address:10.96.0.1, IP Address:172.18.0.9, IP Address:127.0.0.1',
    );
  });

  it('names again in the certificate what it named at first, but for the address', () => {
    const files = create({}, { controlPlanes: 2, workers: 0 })('dev-control-plane2');
    const names = () => new X509Certificate(files.read('/etc/kubernetes/pki/apiserver.crt') ?? '').subjectAltName;
    const before = names();
    bootUntil(files, situation('dev-control-plane2', 9));
    expect(names()).toBe(before?.replace('172.18.0.4', '172.18.0.9'));
  });

  it('takes no longer address for its own', () => {
    const files = create()('dev-worker');
    files.write('/kind/kubeadm.conf', 'a: 172.18.0.3\nb: 172.18.0.30\nc: 1172.18.0.3\n');
    bootUntil(files, situation('dev-worker', 7));
    expect(files.readText('/kind/kubeadm.conf')).toBe('a: 172.18.0.7\nb: 172.18.0.30\nc: 1172.18.0.3\n');
  });
});

describe('a boot', () => {
  it('with the same address changes nothing', () => {
    const files = create()('dev-control-plane');
    const before = listAddresses(files);
    const certificate = files.readText('/etc/kubernetes/pki/apiserver.crt');
    bootUntil(files, situation('dev-control-plane', 2));
    expect(listAddresses(files)).toEqual(before);
    expect(files.readText('/etc/kubernetes/pki/apiserver.crt')).toBe(certificate);
  });

  it('follows the list in the entrypoint as it is now', () => {
    const files = create()('dev-control-plane');
    const text = files.readText('/usr/local/bin/entrypoint') ?? '';
    const shorter = text.split('\n').filter((line) => !line.includes('/etc/kubernetes/kubelet.conf'));
    files.write('/usr/local/bin/entrypoint', shorter.join('\n'));
    bootUntil(files, situation('dev-control-plane', 7));
    expect(files.readText('/etc/kubernetes/kubelet.conf')).toContain('172.18.0.2');
  });

  it.each<[string, number, (files: FileSystem) => void, Partial<BootSituation>]>([
    ['without an address, where there was one', 1, () => undefined, { ipv4: '' }],
    ["without the authority's key", 1, (files) => void files.remove('/etc/kubernetes/pki/ca.key'), {}],
    ['without an entrypoint', 127, (files) => void files.remove('/usr/local/bin/entrypoint'), {}],
  ])('%s gives up with %i, which can be told beforehand', (_, exitCode, spoil, changes) => {
    const files = create()('dev-control-plane');
    spoil(files);
    const here = { ...situation('dev-control-plane', 7), ...changes };
    expect(willGiveUp(files, here)).toBe(true);
    expect(bootUntil(files, here)).toMatchObject({ finished: true, exitCode });
  });

  it('cut after any act leaves to the next boot what that can mend, and no more', () => {
    const pristine = create();
    const pristineTree = pristine('dev-control-plane').walk('/');
    const acts = bootUntil(create()('dev-control-plane'), situation('dev-control-plane', 7)).acts;
    expect(acts.filter((act) => !act.includes('rewrite')).slice(-6)).toEqual([
      'store /kind/old-ipv4',
      'store /kind/old-ipv6',
      'remove /etc/kubernetes/pki/apiserver.crt',
      'remove /etc/kubernetes/pki/apiserver.key',
      'make /etc/kubernetes/pki/apiserver.key',
      'make /etc/kubernetes/pki/apiserver.crt',
    ]);
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: acts.length }),
        fc.array(fc.nat(acts.length), { maxLength: 3 }),
        (cut, later) => {
          const files = pristine('dev-control-plane');
          for (const { path } of files.walk('/')) if (files.stat(path)?.type === 'file') files.remove(path);
          for (const { path, entry } of pristineTree) if (entry.type === 'file') files.write(path, entry.contents);
          const here = situation('dev-control-plane', 7);
          let done = new Set(bootUntil(files, here, cut).acts);
          for (const again of later) done = new Set([...done, ...bootUntil(files, here, again).acts]);
          const { finished } = bootUntil(files, here);
          expect(finished).toBe(true);
          const named = listAddresses(files);
          expect({ ...named, '/etc/kubernetes/pki/apiserver.crt': 'looked at below' }).toEqual({
            ...named,
            '/etc/kubernetes/controller-manager.conf': '7',
            '/etc/kubernetes/kubelet.conf': '7',
            '/etc/kubernetes/manifests/etcd.yaml': '7',
            '/etc/kubernetes/manifests/kube-apiserver.yaml': '7',
            '/etc/kubernetes/pki/apiserver.crt': 'looked at below',
            '/etc/kubernetes/pki/etcd/peer.crt': '2',
            '/kind/kubeadm.conf': '7',
            '/kind/old-ipv4': '7',
          });
          expect(named['/etc/kubernetes/pki/apiserver.crt']).toBe(expectCertificate(done));
        },
      ),
      { numRuns: 40 },
    );
  });
});

/** By what was done before the last crash: the address that the certificate names after all later boots. */
function expectCertificate(done: ReadonlySet<string>): string | undefined {
  if (done.has('make /etc/kubernetes/pki/apiserver.crt')) return '7';
  if (done.has('remove /etc/kubernetes/pki/apiserver.crt')) return undefined;
  // Once both addresses are stored no boot sees a reason to make it again.
  return done.has('store /kind/old-ipv6') ? '2' : '7';
}
