import { describe, expect, test } from 'vitest';
import { applyEdits } from './edits.ts';
import { findAddressSlots, withAddress } from './slots.ts';

const etcd = `apiVersion: v1
kind: Pod
metadata:
  annotations:
    kubeadm.kubernetes.io/etcd.advertise-client-urls: https://172.18.0.3:2379
spec:
  containers:
  - command:
    - etcd
    - --advertise-client-urls=https://172.18.0.3:2379
    - --initial-advertise-peer-urls=https://172.18.0.3:2380
    - --initial-cluster=idp-mvp-control-plane2=https://172.18.0.30:2380,idp-mvp-control-plane=https://172.18.0.3:2380
    - --listen-client-urls=https://127.0.0.1:2379,https://172.18.0.3:2379
    - --listen-metrics-urls=http://127.0.0.1:2381
    - --listen-peer-urls=https://172.18.0.3:2380
    livenessProbe:
      httpGet:
        host: 127.0.0.1
`;

describe('findAddressSlots', () => {
  test("etcd's own places, not its neighbours' and not loopback", () => {
    const slots = findAddressSlots('/etc/kubernetes/manifests/etcd.yaml', 'idp-mvp-control-plane', etcd);
    expect(slots.map((slot) => [slot.slot, slot.address])).toEqual([
      ['--advertise-client-urls', '172.18.0.3'],
      ['--initial-advertise-peer-urls', '172.18.0.3'],
      ['--listen-client-urls', '172.18.0.3'],
      ['--listen-peer-urls', '172.18.0.3'],
      ['--initial-cluster', '172.18.0.3'],
      ['annotation etcd.advertise-client-urls', '172.18.0.3'],
    ]);
  });

  test('rewriting every slot moves the node and leaves the rest byte for byte', () => {
    const slots = findAddressSlots('/etc/kubernetes/manifests/etcd.yaml', 'idp-mvp-control-plane', etcd);
    const result = applyEdits(
      etcd,
      slots.map((slot) => ({ from: slot.text, to: withAddress(slot, '172.18.0.7') })),
    );
    expect(result).toEqual({
      kind: 'changed',
      text: etcd.replace(/172\.18\.0\.3(?!0)/g, '172.18.0.7'),
    });
  });

  test('a swapped neighbour keeps its entry', () => {
    const swapped = etcd.replace('172.18.0.30:2380', '172.18.0.3:2380');
    const slots = findAddressSlots('/etc/kubernetes/manifests/etcd.yaml', 'idp-mvp-control-plane', swapped);
    const result = applyEdits(
      swapped,
      slots.map((slot) => ({ from: slot.text, to: withAddress(slot, '172.18.0.7') })),
    );
    expect(result.kind === 'changed' && result.text).toContain(
      '--initial-cluster=idp-mvp-control-plane2=https://172.18.0.3:2380,idp-mvp-control-plane=https://172.18.0.7:2380',
    );
  });

  test.each([
    [
      '/var/lib/kubelet/kubeadm-flags.env',
      'KUBELET_KUBEADM_ARGS="--node-ip=172.18.0.3 --node-labels="',
      ['172.18.0.3'],
    ],
    [
      '/var/lib/kubelet/kubeadm-flags.env',
      'KUBELET_KUBEADM_ARGS="--node-ip=172.18.0.3,fc00::3 --x"',
      ['172.18.0.3', 'fc00::3'],
    ],
    ['/kind/kubeadm.conf', 'localAPIEndpoint:\n  advertiseAddress: "fc00::3"\n  bindPort: 6443\n', ['fc00::3']],
    ['/kind/kubeadm.conf', 'kubeletExtraArgs:\n    node-ip: "172.18.0.3"\n', ['172.18.0.3']],
    ['/kind/kubeadm.conf', 'kubeletExtraArgs:\n  - name: "node-ip"\n    value: "172.18.0.3"\n', ['172.18.0.3']],
    [
      '/etc/kubernetes/manifests/kube-apiserver.yaml',
      '    - --advertise-address=172.18.0.3\n        host: 172.18.0.3\n',
      ['172.18.0.3', '172.18.0.3'],
    ],
    ['/etc/kubernetes/manifests/kube-scheduler.yaml', '        host: 127.0.0.1\n', []],
    ['/kind/kubeadm.conf', 'controlPlaneEndpoint: "idp-mvp-control-plane:6443"\n', []],
  ])('%s', (file, contents, addresses) => {
    expect(findAddressSlots(file, 'idp-mvp-control-plane', contents).map((slot) => slot.address)).toEqual(addresses);
  });
});

describe('applyEdits', () => {
  test('an address inside a longer one is left alone', () => {
    expect(applyEdits('a 172.18.0.30 b', [{ from: '172.18.0.3', to: '172.18.0.4' }])).toEqual({
      kind: 'mismatch',
      missing: '172.18.0.3',
    });
  });
  test('made already', () => {
    expect(applyEdits('server: https://b:6443', [{ from: 'https://a:6443', to: 'https://b:6443' }])).toEqual({
      kind: 'unchanged',
    });
  });
  test('edits do not meet what others put in', () => {
    expect(
      applyEdits('x=1 y=2', [
        { from: 'x=1', to: 'y=2' },
        { from: 'y=2', to: 'x=1' },
      ]),
    ).toEqual({ kind: 'changed', text: 'y=2 x=1' });
  });
});
