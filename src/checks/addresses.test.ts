import { describe, expect, test } from 'vitest';
import { diagnose } from '../engine/diagnose.ts';
import type { Facts } from '../facts/facts.ts';
import { seen } from '../facts/observed.ts';
import {
  crashByRunbook,
  moveNodes,
  nodeOf,
  rewriteFiles,
  silence,
  withApiNode,
  withContainer,
  withNode,
  withServer,
} from '../facts/testing/changes.ts';
import {
  addressOf,
  balancer,
  controlPlane,
  highlyAvailable,
  makeFacts,
  single,
  withWorkers,
  worker,
} from '../facts/testing/facts.ts';

const worker2 = 'idp-mvp-worker2';
const second = 'idp-mvp-control-plane2';
const third = 'idp-mvp-control-plane3';

function find(facts: Facts, id: string) {
  return diagnose(facts).findings.filter((finding) => finding.id === id);
}

function subjects(facts: Facts, id: string): string[] {
  return find(facts, id).map(({ subject }) => subject);
}

describe("the runbook's crash", () => {
  const diagnosis = diagnose(crashByRunbook());

  test('its findings, each below the one it follows from', () => {
    expect(diagnosis.findings.map(({ id, subject, cause }) => [id, subject, cause?.id ?? null])).toEqual([
      ['network/address-changed', controlPlane, null],
      ['node/kubelet-endpoint-stale', controlPlane, 'network/address-changed'],
      ['nodes/not-ready', controlPlane, 'node/kubelet-endpoint-stale'],
      ['nodes/address-stale', controlPlane, 'node/kubelet-endpoint-stale'],
    ]);
    expect(diagnosis.verdict).toBe('broken');
    expect(diagnosis.unknown).toEqual([]);
  });

  test('the finding tells the old address, the new one, and who has the old one now', () => {
    const [finding] = diagnosis.findings.filter(({ id }) => id === 'node/kubelet-endpoint-stale');
    expect(finding?.summary).toBe(
      `kubelet.conf points at https://172.18.0.2:6443, but ${controlPlane} is at 172.18.0.4 now (that address now belongs to ${worker2})`,
    );
    expect(finding?.evidence).toContain(
      "this node image's entrypoint does not mend kubelet.conf at boot (kind v0.29 and older)",
    );
  });
});

describe('nodes that exchanged their addresses', () => {
  const swapped = moveNodes(makeFacts(withWorkers), { [worker]: 4, [worker2]: 3 });

  test('are both found, each address with its present holder', () => {
    const found = find(swapped, 'network/address-changed');
    expect(found.map(({ subject }) => subject)).toEqual([worker, worker2]);
    expect(found[0]?.evidence).toContain(`172.18.0.3 now belongs to ${worker2}`);
    expect(found[1]?.evidence).toContain(`172.18.0.4 now belongs to ${worker}`);
  });

  test("an address of the cluster's own is stale all the same in the wrong node's files", () => {
    expect(subjects(swapped, 'node/manifest-address-stale')).toEqual([worker, worker2]);
  });

  test('a control plane that dials another control plane is stale, though that one would answer today', () => {
    const facts = moveNodes(makeFacts(highlyAvailable), { [controlPlane]: 3, [second]: 2 });
    expect(subjects(facts, 'node/kubelet-endpoint-stale')).toEqual([controlPlane, second]);
    expect(subjects(facts, 'node/component-endpoint-stale')).toEqual([controlPlane, second]);
  });
});

describe("a worker's kubelet.conf", () => {
  const healthy = makeFacts(withWorkers);

  test('may name the control plane by its present address', () => {
    const facts = withServer(healthy, worker, 'kubelet', `https://${addressOf(2).ipv4}:6443`);
    expect(diagnose(facts).verdict).toBe('healthy');
  });

  test('is stale where no control plane has that address, whoever else has it', () => {
    const facts = withServer(healthy, worker, 'kubelet', `https://${addressOf(4).ipv4}:6443`);
    expect(find(facts, 'node/kubelet-endpoint-stale')).toMatchObject([
      {
        subject: worker,
        summary: `kubelet.conf points at https://172.18.0.4:6443, but no control plane is there (that address now belongs to ${worker2})`,
      },
    ]);
  });

  test("may name the load balancer's address in HA", () => {
    const ha = makeFacts(highlyAvailable);
    const balancerAddress = ha.containers.ok
      ? (ha.containers.value.find(({ name }) => name === balancer)?.ipv4 ?? '')
      : '';
    expect(diagnose(withServer(ha, worker, 'kubelet', `https://${balancerAddress}:6443`)).findings).toEqual([]);
    expect(
      subjects(withServer(ha, worker, 'kubelet', 'https://172.18.0.66:6443'), 'node/kubelet-endpoint-stale'),
    ).toEqual([worker]);
  });

  test("a control plane's own may name loopback, a worker's may not", () => {
    expect(
      find(withServer(healthy, controlPlane, 'kubelet', 'https://127.0.0.1:6443'), 'node/kubelet-endpoint-stale'),
    ).toEqual([]);
    expect(
      subjects(withServer(healthy, worker, 'kubelet', 'https://127.0.0.1:6443'), 'node/kubelet-endpoint-stale'),
    ).toEqual([worker]);
  });
});

describe.each(['ipv4', 'ipv6', 'dual'] as const)('a cluster of %s', (families) => {
  test.each([
    ['single', single],
    ['workers', withWorkers],
    ['highly available', highlyAvailable],
  ])('%s: healthy', (_name, topology) => {
    expect(diagnose(makeFacts(topology, families))).toMatchObject({ verdict: 'healthy', findings: [], unknown: [] });
  });

  test('a moved control plane is found in its own family', () => {
    const facts = moveNodes(makeFacts(withWorkers, families), { [controlPlane]: 9 });
    const { ipv4, ipv6 } = addressOf(9);
    const expected = families === 'ipv6' ? ipv6 : ipv4;
    for (const id of [
      'network/address-changed',
      'node/manifest-address-stale',
      'certificates/apiserver-address-missing',
      'node/component-endpoint-stale',
      'nodes/address-stale',
    ]) {
      const [finding] = find(facts, id);
      expect(finding, id).toMatchObject({ subject: controlPlane });
      expect([finding?.summary, ...(finding?.evidence ?? [])].join('\n'), id).toContain(expected);
    }
  });

  test('moved and rewritten by the entrypoint, only kubelet.conf and what follows is left', () => {
    let facts = moveNodes(makeFacts(withWorkers, families), { [controlPlane]: 9 });
    facts = rewriteFiles(facts, controlPlane);
    expect(diagnose(facts).findings.map(({ id }) => id)).toEqual([
      'network/address-changed',
      'node/kubelet-endpoint-stale',
      'nodes/address-stale',
    ]);
  });
});

describe('spellings of IPv6', () => {
  test('the same address written otherwise is the same address', () => {
    const facts = withApiNode(makeFacts(single, 'ipv6'), controlPlane, (node) => ({
      ...node,
      internalAddresses: ['FC00:F853:0CCD:E793:0000:0000:0000:0002'],
    }));
    expect(diagnose(facts).verdict).toBe('healthy');
  });
});

describe('an address of the family that the cluster does not use', () => {
  test('a stale /kind/old-ipv6 of an IPv4 cluster: the summary tells the address of that family', () => {
    const facts = withNode(makeFacts(single), controlPlane, (node) => ({
      ...node,
      recordedIpv6: seen('fc00:f853:ccd:e793::77'),
    }));
    const [finding] = find(facts, 'node/manifest-address-stale');
    expect(`${finding?.summary} ${finding?.evidence.join(' ')}`).toContain('fc00:f853:ccd:e793::2');
  });
});

describe('HA behind a load balancer', () => {
  const ha = makeFacts(highlyAvailable);

  test('control planes are judged one by one', () => {
    const facts = moveNodes(ha, { [second]: 20 });
    expect(subjects(facts, 'certificates/apiserver-address-missing')).toEqual([second]);
    expect(subjects(facts, 'node/manifest-address-stale')).toEqual([second]);
    expect(subjects(facts, 'network/address-changed')).toEqual([second]);
  });

  test('the load balancer is no node: its address may change freely', () => {
    expect(diagnose(moveNodes(ha, { [balancer]: 40 })).verdict).toBe('healthy');
  });

  test('a control plane that is not Ready does not hide behind the others', () => {
    expect(subjects(silence(ha, third, 120), 'nodes/not-ready')).toEqual([third]);
  });
});

test('a running container that Docker gave no address is found, and not mistaken for a moved one', () => {
  const facts = withContainer(makeFacts(withWorkers), worker, (container) => ({ ...container, ipv4: '', ipv6: '' }));
  expect(find(facts, 'network/address-changed')).toMatchObject([
    { subject: worker, summary: `${worker} has no address in Docker's network` },
  ]);
  expect(find(facts, 'node/manifest-address-stale')).toEqual([]);
});

test("an interface that does not have Docker's address is told with the address that it has", () => {
  const facts = withNode(makeFacts(withWorkers), worker, (node) => ({
    ...node,
    interfaces: seen([{ name: 'eth0', addresses: ['172.18.0.88', addressOf(3).ipv6] }]),
  }));
  expect(find(facts, 'network/address-changed')[0]?.evidence).toContain('interface: 172.18.0.88 (eth0)');
});

test('files of a stopped node are not judged: its boot rewrites them', () => {
  const facts = withContainer(moveNodes(makeFacts(withWorkers), { [worker]: 30 }), worker, (container) => ({
    ...container,
    running: false,
    state: 'exited',
  }));
  expect(nodeOf(facts, worker).addressSlots[0]?.address).toBe('172.18.0.3');
  expect(subjects(facts, 'node/manifest-address-stale')).toEqual([]);
  expect(subjects(facts, 'containers/node-stopped')).toEqual([worker]);
});
