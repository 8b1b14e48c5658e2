import { seen } from '../facts/observed.ts';
import { describe, expect, test } from 'vitest';
import { diagnose } from '../engine/diagnose.ts';
import type { Facts } from '../facts/facts.ts';
import { unseen } from '../facts/observed.ts';
import { withApi, withApiNode, withNode, withoutApi, withUnreadableNode } from '../facts/testing/changes.ts';
import { controlPlane, makeFacts, withWorkers, worker } from '../facts/testing/facts.ts';

const healthy = makeFacts(withWorkers);

/** The checks that could not judge. */
function unknownChecks(facts: Facts): string[] {
  return [...new Set(diagnose(facts).unknown.map(({ check }) => check))].sort();
}

test('the facts that these tests start from are healthy', () => {
  expect(diagnose(healthy)).toMatchObject({ verdict: 'healthy', findings: [], unknown: [], skipped: [] });
});

describe('what could not be seen is never healthy', () => {
  test('a worker that cannot be looked into', () => {
    const facts = withUnreadableNode(healthy, worker);
    expect(unknownChecks(facts)).toEqual([
      'network/address-changed',
      'node/kubelet-down',
      'node/kubelet-endpoint-stale',
      'node/leftover-files',
      'node/manifest-address-stale',
    ]);
    expect(diagnose(facts).verdict).toBe('unknown');
  });

  test('a control plane that cannot be looked into', () => {
    const facts = withUnreadableNode(healthy, controlPlane);
    expect(unknownChecks(facts)).toEqual(
      expect.arrayContaining([
        'certificates/apiserver-address-missing',
        'certificates/apiserver-missing',
        'network/address-changed',
        'node/component-endpoint-stale',
        'node/kubelet-down',
        'node/kubelet-endpoint-stale',
        'node/leftover-files',
        'node/manifest-address-stale',
      ]),
    );
    expect(diagnose(facts).verdict).toBe('unknown');
  });

  test('the reason names the node and what the node said', () => {
    const { unknown } = diagnose(withUnreadableNode(healthy, worker, 'the exec did not end within 20 s'));
    expect(unknown.map(({ reason }) => reason)).toContain(`${worker}: the exec did not end within 20 s`);
  });

  test.each([
    ['etcd.yaml', '/etc/kubernetes/manifests/etcd.yaml'],
    ['kubeadm-flags.env', '/var/lib/kubelet/kubeadm-flags.env'],
  ])('%s that cannot be read', (_name, path) => {
    const facts = withNode(healthy, controlPlane, (node) => ({
      ...node,
      addressSlots: node.addressSlots.filter(({ file }) => file !== path),
      unreadFiles: { [path]: 'Input/output error' },
    }));
    expect(diagnose(facts)).toMatchObject({
      verdict: 'unknown',
      unknown: [{ check: 'node/manifest-address-stale', reason: `${controlPlane}: ${path}: Input/output error` }],
    });
  });

  test.each([
    ['kubelet', ['node/kubelet-endpoint-stale']],
    ['controllerManager', ['node/component-endpoint-stale']],
    ['scheduler', ['node/component-endpoint-stale']],
  ] as const)('the kubeconfig of %s that cannot be read', (key, expected) => {
    const facts = withNode(healthy, controlPlane, (node) => ({
      ...node,
      kubeconfigs: { ...node.kubeconfigs, [key]: unseen('line 1, column 1: this is not YAML') },
    }));
    expect(unknownChecks(facts)).toEqual(expected);
    expect(diagnose(facts).verdict).toBe('unknown');
  });

  test.each(['kubelet', 'containerd'] as const)('systemd that says nothing of %s', (unit) => {
    const facts = withNode(healthy, worker, (node) => ({ ...node, [unit]: unseen('Failed to connect to bus') }));
    expect(unknownChecks(facts)).toEqual(['node/kubelet-down']);
    expect(diagnose(facts).verdict).toBe('unknown');
  });

  test('an API that is down', () => {
    const { verdict, findings, unknown } = diagnose(withoutApi(healthy));
    expect(verdict).toBe('broken');
    expect(findings.map(({ id }) => id)).toEqual(['control-plane/api-unreachable']);
    expect(unknown.map(({ check }) => check)).toEqual([
      'control-plane/controllers-stalled',
      'nodes/not-ready',
      'nodes/address-stale',
      'nodes/container-missing',
    ]);
  });

  test('an API out of reach beside control planes that cannot be looked into: nobody knows whether it is down', () => {
    const { verdict, findings, unknown } = diagnose(
      withoutApi(withUnreadableNode(healthy, controlPlane), 'no control plane gave its admin.conf'),
    );
    expect(verdict).toBe('unknown');
    expect(findings).toEqual([]);
    expect(unknown).toContainEqual({
      check: 'control-plane/api-unreachable',
      reason: 'no control plane gave its admin.conf',
    });
  });

  test('containers that the engine would not list', () => {
    const facts = { ...healthy, containers: unseen('the engine answered 500') };
    const { verdict, findings } = diagnose(facts);
    expect(findings).toEqual([]);
    expect(verdict).toBe('unknown');
    expect(unknownChecks(facts)).toContain('containers/node-stopped');
  });

  test('a controller without a lease', () => {
    const facts = withApi(healthy, (api) => ({ ...api, schedulerLease: unseen('it has no lease') }));
    expect(diagnose(facts)).toMatchObject({
      verdict: 'unknown',
      unknown: [{ check: 'control-plane/controllers-stalled', reason: 'kube-scheduler: it has no lease' }],
    });
  });

  test('a node that the API calls Ready and whose kubelet has no lease has not said so itself', () => {
    const facts = withApiNode(healthy, worker, (node) => ({ ...node, leaseRenewedAt: null }));
    expect(diagnose(facts).verdict).not.toBe('healthy');
  });

  test('a certificate that could not be read for another reason than that it is gone is not called missing', () => {
    const facts = withNode(healthy, controlPlane, (node) => ({
      ...node,
      certificates: { ...node.certificates, apiserver: unseen('Input/output error') },
      apiserverKeySha256: unseen('openssl ended with exit code 124'),
    }));
    expect(diagnose(facts).findings.map(({ id }) => id)).not.toContain('certificates/apiserver-missing');
    expect(unknownChecks(facts)).toContain('certificates/apiserver-missing');
  });

  test('a check that throws is unknown, and the others still speak', () => {
    const { verdict, unknown, passed } = diagnose(healthy, [
      {
        id: 'test/throws',
        layer: 'node',
        severity: 'error',
        title: 'x',
        after: [],
        run: () => {
          throw new TypeError('boom');
        },
      },
      { id: 'test/fine', layer: 'node', severity: 'error', title: 'y', after: [], run: () => ({ kind: 'ok' }) },
    ]);
    expect(verdict).toBe('unknown');
    expect(unknown).toEqual([{ check: 'test/throws', reason: 'the check itself failed: boom' }]);
    expect(passed).toEqual(['test/fine']);
  });

  test('a problem beside something unknown is still told, and so is the unknown', () => {
    const { verdict, findings, unknown } = diagnose(
      withUnreadableNode(
        withNode(healthy, controlPlane, (node) => ({ ...node, leftovers: seen(['/kind/.rekindle-x']) })),
        worker,
      ),
    );
    expect(findings.map(({ id }) => id)).toEqual(['node/leftover-files']);
    // A warning is known, yet the rest is not: that is no degraded cluster.
    expect(verdict).toBe('unknown');
    expect(unknown.length).toBeGreaterThan(0);
  });
});
