import { describe, expect, test } from 'vitest';
import type { Facts } from '../facts/facts.ts';
import { seen, unseen } from '../facts/observed.ts';
import {
  crashByRunbook,
  moveNodes,
  rewriteFiles,
  silence,
  stopContainer,
  withApi,
  withComponent,
  withContainer,
  withFileAddress,
  withKubeconfig,
  withNode,
  withoutApi,
  withServer,
} from '../facts/testing/changes.ts';
import { scenarios } from '../checks/fixtures/scenarios.ts';
import {
  balancer,
  controlPlane,
  highlyAvailable,
  makeFacts,
  secondsBefore,
  single,
  withWorkers,
  worker,
} from '../facts/testing/facts.ts';
import { flagsFile, manifestFolder } from '../facts/testing/node-files.ts';
import type { Plan } from '../repairs/step.ts';
import { diagnose } from './diagnose.ts';
import { defaultPlanOptions, makePlan, type PlanOptions } from './plan.ts';

const second = 'idp-mvp-control-plane2';

function planOf(facts: Facts, options: Partial<PlanOptions> = {}): Plan {
  return makePlan(facts, diagnose(facts), { ...defaultPlanOptions, ...options });
}

function titles(plan: Plan): string[] {
  return plan.steps.map(({ title }) => title);
}

function unserved(plan: Plan): string[] {
  return plan.unserved.map(({ id, subject, reason }) => `${id} ${subject}: ${reason}`);
}

/** The plan's step whose title begins so. */
function stepOf(plan: Plan, start: string) {
  const found = plan.steps.find(({ title }) => title.startsWith(start));
  if (found === undefined) throw new Error(`no step "${start}" in ${titles(plan).join('; ')}`);
  return found;
}

function kubeletDown(facts: Facts, node: string, units: readonly ('kubelet' | 'containerd')[] = ['kubelet']): Facts {
  const down = seen({ activeState: 'failed', subState: 'failed', restarts: 5, activeSince: '' });
  return withNode(facts, node, (inside) => ({
    ...inside,
    ...Object.fromEntries(units.map((unit) => [unit, down])),
  }));
}

test('nothing wrong, nothing to do', () => {
  expect(planOf(makeFacts())).toEqual({ steps: [], unserved: [] });
});

describe("the runbook's crash", () => {
  const plan = planOf(crashByRunbook());

  test('one file, one restart, two waits', () => {
    expect(titles(plan)).toEqual([
      expect.stringContaining('/etc/kubernetes/kubelet.conf'),
      `restart kubelet on ${controlPlane}`,
      'wait until the API server answers',
      'wait until all 3 nodes are Ready at the right address',
    ]);
    expect(plan.steps.map(({ needs }) => needs)).toEqual([[], ['1'], ['1', '2'], ['1', '2', '3']]);
    expect(new Set(plan.steps.map(({ risk }) => risk))).toEqual(new Set(['safe']));
  });

  test('consequences are left to it', () => {
    expect(unserved(plan)).toEqual([
      `nodes/not-ready ${controlPlane}: follows from node/kubelet-endpoint-stale on ${controlPlane}`,
      `nodes/address-stale ${controlPlane}: follows from node/kubelet-endpoint-stale on ${controlPlane}`,
    ]);
  });

  test('the wait names each node with the address that it should have', () => {
    expect(plan.steps.at(-1)?.step).toEqual({
      kind: 'wait-nodes',
      nodes: [
        { name: controlPlane, addresses: ['172.18.0.4'] },
        { name: worker, addresses: ['172.18.0.3'] },
        { name: 'idp-mvp-worker2', addresses: ['172.18.0.2'] },
      ],
    });
  });
});

describe('folding', () => {
  test('a cause that is mended through its consequences lets them be served', () => {
    const facts = moveNodes(makeFacts(single), { [controlPlane]: 9 });
    const findings = diagnose(facts).findings.filter(({ id }) => id === 'node/manifest-address-stale');
    expect(findings[0]?.cause?.id).toBe('network/address-changed');
    expect(titles(planOf(facts)).some((title) => title.startsWith(`${manifestFolder}/etcd.yaml`))).toBe(true);
  });

  test('a cause far up the chain counts as well', () => {
    const facts = silence(
      kubeletDown(moveNodes(makeFacts(single), { [controlPlane]: 9 }), controlPlane),
      controlPlane,
      90,
    );
    const plan = planOf(facts);
    expect(unserved(plan).filter((line) => line.startsWith('nodes/not-ready'))).toEqual([
      expect.stringMatching(/follows from node\/(kubelet-down|manifest-address-stale)/),
    ]);
  });

  test('of a paused container nothing is touched; what follows from it waits', () => {
    const facts = withContainer(makeFacts(withWorkers), worker, (container) => ({ ...container, state: 'paused' }));
    const plan = planOf(silence(facts, worker, 90));
    expect(plan.steps).toEqual([]);
    expect(plan.unserved).toMatchObject([
      { id: 'containers/node-stopped', byHand: [`docker unpause ${worker}`] },
      { id: 'nodes/not-ready', reason: `follows from containers/node-stopped on ${worker}` },
    ]);
  });

  test('a paused worker does not keep the API from being revived', () => {
    const facts = withoutApi(
      withContainer(makeFacts(withWorkers), worker, (container) => ({ ...container, state: 'paused' })),
    );
    expect(titles(planOf(facts))).toContain(`restart kubelet on ${controlPlane}`);
  });

  test('what follows from a cause that was tried in vain stays left: its own repair would not help either', () => {
    const facts = silence(
      withServer(makeFacts(single), controlPlane, 'kubelet', 'https://172.18.0.77:6443'),
      controlPlane,
      90,
    );
    const plan = planOf(facts, { exhausted: ({ id }) => id === 'node/kubelet-endpoint-stale' });
    expect(plan.steps).toEqual([]);
    expect(unserved(plan)).toContain(
      `nodes/not-ready ${controlPlane}: follows from node/kubelet-endpoint-stale on ${controlPlane}`,
    );
  });
});

describe('order', () => {
  /** One control plane with everything stale: its files, its two components and its certificate. */
  const everything = planOf(moveNodes(makeFacts(withWorkers), { [controlPlane]: 9 }));

  test('files, certificate, components, kubelet, waits', () => {
    const kinds = everything.steps.map(({ step }) => step.kind);
    expect([...new Set(kinds)]).toEqual([
      'edit-file',
      'remake-certificate',
      'restart-component',
      'restart-unit',
      'wait-api',
      'wait-nodes',
      'wait-controllers',
    ]);
    // Sorted by kind: no kind comes back after another one.
    expect(kinds).toEqual([...new Set(kinds)].flatMap((kind) => kinds.filter((other) => other === kind)));
  });

  test('each waits for all before it on its node', () => {
    const edits = everything.steps.filter(({ step }) => step.kind === 'edit-file').map(({ id }) => id);
    const certificate = stepOf(everything, 'make the apiserver certificate');
    expect(certificate.needs).toEqual(edits);
    expect(stepOf(everything, 'restart kube-apiserver').needs).toEqual([...edits, certificate.id]);
    expect(stepOf(everything, 'restart kubelet').needs).toEqual(
      expect.arrayContaining([...edits, certificate.id, stepOf(everything, 'restart kube-scheduler').id]),
    );
    expect(everything.steps.at(-1)?.needs).toEqual(everything.steps.slice(0, -1).map(({ id }) => id));
  });

  test('nodes do not wait for each other', () => {
    const plan = planOf(moveNodes(makeFacts(withWorkers), { [worker]: 4, 'idp-mvp-worker2': 3 }));
    const restarts = plan.steps.filter(({ step }) => step.kind === 'restart-unit');
    expect(restarts.map(({ step }) => 'node' in step && step.node)).toEqual([worker, 'idp-mvp-worker2']);
    for (const { needs, step } of restarts) {
      const before = plan.steps.filter(({ id }) => needs.includes(id));
      expect(before.every((other) => 'node' in other.step && 'node' in step && other.step.node === step.node)).toBe(
        true,
      );
    }
  });

  test('containers start group by group: control planes, workers, the load balancer', () => {
    const facts = [balancer, worker, second, controlPlane].reduce(
      (changed, name) => stopContainer(changed, name),
      withoutApi(makeFacts(highlyAvailable)),
    );
    const plan = planOf(facts);
    expect(titles(plan)).toEqual([
      `start the container ${controlPlane}`,
      `start the container ${second}`,
      `wait until ${controlPlane} has booted`,
      `wait until ${second} has booted`,
      `start the container ${worker}`,
      `wait until ${worker} has booted`,
      `start the container ${balancer}`,
    ]);
    const needs = (title: string) => stepOf(plan, title).needs;
    expect(needs(`start the container ${second}`)).toEqual([]);
    // Each group once the one before has booted, not merely started.
    expect(needs(`start the container ${worker}`)).toEqual(['1', '2', '3', '4']);
    expect(needs(`start the container ${balancer}`)).toEqual(['1', '2', '3', '4', '5', '6']);
    expect(needs(`wait until ${worker} has booted`)).toEqual(['5']);
  });

  test('containerd comes up before the kubelet that needs it', () => {
    const plan = planOf(kubeletDown(makeFacts(single), controlPlane, ['kubelet', 'containerd']));
    expect(titles(plan).slice(0, 2)).toEqual([
      `restart containerd on ${controlPlane}`,
      `restart kubelet on ${controlPlane}`,
    ]);
    expect(plan.steps[1]?.needs).toEqual(['1']);
  });

  test("the host's kubeconfig waits for nothing in the cluster", () => {
    const plan = planOf(withKubeconfig(crashByRunbook(), { server: 'https://127.0.0.1:1' }));
    expect(stepOf(plan, '/home/ada/.kube/config').needs).toEqual([]);
    const merge = stepOf(plan, '/home/ada/.kube/config').id;
    expect(plan.steps.some(({ needs }) => needs.includes(merge))).toBe(false);
  });
});

describe('equal steps', () => {
  test('are one, with the reasons of all and what it mends of all', () => {
    const plan = planOf(moveNodes(makeFacts(single), { [controlPlane]: 9 }));
    const restarts = plan.steps.filter(({ step }) => step.kind === 'restart-unit');
    expect(restarts).toHaveLength(1);
    expect(restarts[0]?.mends.map(({ id }) => id)).toEqual([
      'node/manifest-address-stale',
      'node/kubelet-endpoint-stale',
      'certificates/apiserver-address-missing',
    ]);
    expect(restarts[0]?.reasons).toHaveLength(3);
  });
});

describe('what is left out', () => {
  test('--only serves what was asked for', () => {
    const facts = withKubeconfig(crashByRunbook(), { server: 'https://127.0.0.1:1' });
    const plan = planOf(facts, { only: ['host/kubeconfig-stale'] });
    expect(titles(plan)).toEqual([expect.stringContaining('/home/ada/.kube/config')]);
    expect(unserved(plan)).toContain(
      `node/kubelet-endpoint-stale ${controlPlane}: not among those asked for with --only`,
    );
  });

  test('--max-risk safe leaves nothing out while every step is safe', () => {
    for (const { failing } of Object.values(scenarios)) {
      const plan = planOf(failing, { maxRisk: 'safe' });
      expect(plan.steps.map(({ risk }) => risk)).toEqual(plan.steps.map(() => 'safe'));
      expect(plan.steps.map(({ title }) => title)).toEqual(
        planOf(failing)
          .steps.filter(({ risk }) => risk === 'safe')
          .map(({ title }) => title),
      );
    }
  });

  test('what was tried twice is told with the commands by hand', () => {
    const plan = planOf(crashByRunbook(), { exhausted: ({ id }) => id === 'node/kubelet-endpoint-stale' });
    const left = plan.unserved.find(({ id }) => id === 'node/kubelet-endpoint-stale');
    expect(left?.reason).toBe('tried already, without success');
    expect(left?.byHand.join('\n')).toContain(`docker exec ${controlPlane}`);
    expect(left?.byHand.join('\n')).not.toMatch(/\{\w+\}/);
  });

  test('a kubeconfig that cannot be parsed is told, not overwritten', () => {
    const { failing } = scenarios['host/kubeconfig-invalid'] ?? { failing: makeFacts() };
    const plan = planOf(failing);
    expect(plan.steps).toEqual([]);
    expect(plan.unserved[0]?.byHand[0]).toBe(
      'edit /home/ada/.kube/config: line 7, column 1: a mapping is expected here',
    );
  });

  test('a kubeconfig whose port is published nowhere is told', () => {
    const plan = planOf(withKubeconfig(makeFacts(), { expectedServer: null, contextPresent: false }));
    expect(plan.steps).toEqual([]);
    expect(plan.unserved).toMatchObject([
      { reason: 'the API port is not published on this host', byHand: ['kind export kubeconfig --name idp-mvp'] },
    ]);
  });
});

describe('an engine out of reach', () => {
  test.each([
    ['linux', 'systemctl'],
    ['darwin', 'open -a Docker'],
    ['win32', 'Docker Desktop.exe'],
    ['freebsd', 'systemctl'],
  ])('%s: told, with the commands of that platform', (hostPlatform, command) => {
    const { failing } = scenarios['engine/unreachable'] ?? { failing: makeFacts() };
    const facts: Facts = { ...failing, engine: { ...failing.engine, hostPlatform } };
    const plan = planOf(facts);
    expect(plan.steps).toEqual([]);
    expect(plan.unserved).toHaveLength(1);
    expect(plan.unserved[0]?.byHand.join('\n')).toContain(command);
  });

  test.each([
    ['linux', 'usermod -aG docker'],
    ['win32', 'docker-users'],
  ])('%s: without permission', (hostPlatform, command) => {
    const { failing } = scenarios['engine/permission-denied'] ?? { failing: makeFacts() };
    const facts: Facts = { ...failing, engine: { ...failing.engine, hostPlatform } };
    expect(planOf(facts).unserved[0]?.byHand.join('\n')).toContain(command);
  });
});

describe('time to come up by itself', () => {
  function booted(facts: Facts, secondsAgo: number): Facts {
    return withContainer(facts, controlPlane, (container) => ({ ...container, startedAt: secondsBefore(secondsAgo) }));
  }

  test('an API server whose node was started a moment ago is only waited for', () => {
    expect(titles(planOf(booted(withoutApi(makeFacts(single)), 20)))).toEqual([
      'wait until the API server answers',
      'wait until the node is Ready at the right address',
      'wait until kube-controller-manager and kube-scheduler renew their leases',
    ]);
  });

  test('one whose node has been up for long gets its kubelet restarted', () => {
    expect(titles(planOf(booted(withoutApi(makeFacts(single)), 50)))).toEqual([
      `restart kubelet on ${controlPlane}`,
      'wait until the API server answers',
      'wait until the node is Ready at the right address',
      'wait until kube-controller-manager and kube-scheduler renew their leases',
    ]);
  });

  test('a node that is not Ready likewise', () => {
    const facts = silence(makeFacts(single), controlPlane, 90);
    expect(titles(planOf(booted(facts, 20)))).not.toContain(`restart kubelet on ${controlPlane}`);
    expect(titles(planOf(booted(facts, 50)))).toContain(`restart kubelet on ${controlPlane}`);
  });

  test('a node that boots while another is started is told to be left to the next look', () => {
    const facts = stopContainer(booted(silence(makeFacts(withWorkers), controlPlane, 90), 10), worker);
    const plan = planOf(facts);
    const known = [...plan.steps.flatMap(({ mends }) => mends), ...plan.unserved].map(({ id, subject }) => [
      id,
      subject,
    ]);
    expect(known).toContainEqual(['nodes/not-ready', controlPlane]);
  });
});

describe('the steps of each repair', () => {
  test('files: every stale one, with nothing but the addresses changed', () => {
    const facts = withFileAddress(makeFacts(single), controlPlane, flagsFile, '172.18.0.55');
    const edits = planOf(facts).steps.flatMap(({ step }) => (step.kind === 'edit-file' ? [step] : []));
    expect(edits).toEqual([
      {
        kind: 'edit-file',
        node: controlPlane,
        path: flagsFile,
        edits: [{ from: '--node-ip=172.18.0.55', to: '--node-ip=172.18.0.2' }],
      },
    ]);
  });

  test('a recorded address alone restarts nothing: nobody reads it before the next boot', () => {
    const facts = withNode(makeFacts(single), controlPlane, (node) => ({ ...node, recordedIpv4: seen('172.18.0.55') }));
    expect(planOf(facts).steps.filter(({ step }) => step.kind === 'restart-unit')).toEqual([]);
    expect(titles(planOf(facts))[0]).toContain('/kind/old-ipv4');
  });

  test('kubelet.conf by name where the node resolves it and the certificate names it', () => {
    const [first] = planOf(crashByRunbook()).steps;
    expect(first?.step).toMatchObject({ edits: [{ to: `server: https://${controlPlane}:6443` }] });
  });

  test.each<[string, (facts: Facts) => Facts]>([
    ['does not resolve it', (facts) => withNode(facts, controlPlane, (node) => ({ ...node, resolved: {} }))],
    [
      'resolves it to somebody else',
      (facts) =>
        withNode(facts, controlPlane, (node) => ({ ...node, resolved: { [controlPlane]: seen(['172.18.0.2']) } })),
    ],
    [
      'resolves it, but the certificate does not name it',
      (facts) =>
        withNode(facts, controlPlane, (node) => ({
          ...node,
          certificates: {
            ...node.certificates,
            apiserver: node.certificates.apiserver.ok
              ? seen({ ...node.certificates.apiserver.value, dnsNames: ['kubernetes'] })
              : node.certificates.apiserver,
          },
        })),
    ],
  ])('by address where the node %s', (_name, change) => {
    const step = planOf(change(crashByRunbook())).steps.find(({ step: { kind } }) => kind === 'edit-file')?.step;
    expect(step).toMatchObject({ edits: [{ to: 'server: https://172.18.0.4:6443' }] });
  });

  test('a worker is pointed at the load balancer in HA, at the control plane otherwise', () => {
    const stale = (facts: Facts) => withServer(facts, worker, 'kubelet', 'https://172.18.0.99:6443');
    const edit = (facts: Facts) => planOf(facts).steps[0]?.step;
    expect(edit(stale(makeFacts(highlyAvailable)))).toMatchObject({
      edits: [{ to: `server: https://${balancer}:6443` }],
    });
    expect(edit(stale(makeFacts(withWorkers)))).toMatchObject({
      edits: [{ to: `server: https://${controlPlane}:6443` }],
    });
  });

  test('a stalled component is restarted on every control plane that runs, and its lease waited for', () => {
    const { failing } = scenarios['control-plane/controllers-stalled'] ?? { failing: makeFacts() };
    expect(titles(planOf(failing))).toEqual([
      `restart kube-scheduler on ${controlPlane}`,
      'wait until the API server answers',
      'wait until the node is Ready at the right address',
      'wait until kube-controller-manager and kube-scheduler renew their leases',
    ]);
  });

  test('a stalled component whose container ended waits in the back-off, which a restart of the kubelet clears', () => {
    const { failing } = scenarios['control-plane/controllers-stalled'] ?? { failing: makeFacts() };
    const ended = withComponent(failing, 'kube-scheduler', 'exited', secondsBefore(30));
    expect(titles(planOf(ended))[0]).toBe(`restart kubelet on ${controlPlane}`);
  });

  test('a lease that has run out is waited for, whatever is mended', () => {
    const { failing } = scenarios['node/kubelet-endpoint-stale'] ?? { failing: makeFacts() };
    const wait = 'wait until kube-controller-manager and kube-scheduler renew their leases';
    const renewed = (seconds: number) =>
      withApi(failing, (api) => ({
        ...api,
        schedulerLease: seen({ holder: 'x', renewedAt: secondsBefore(seconds) }),
      }));
    expect(titles(planOf(renewed(14)))).not.toContain(wait);
    expect(titles(planOf(renewed(16)))).toContain(wait);
  });

  test('a stalled component that has only just been started is waited for, and left alone', () => {
    const { failing } = scenarios['control-plane/controllers-stalled'] ?? { failing: makeFacts() };
    const started = withComponent(failing, 'kube-scheduler', 'running', secondsBefore(10));
    expect(titles(planOf(started))).toEqual([
      'wait until the API server answers',
      'wait until the node is Ready at the right address',
      'wait until kube-controller-manager and kube-scheduler renew their leases',
    ]);
  });

  test("leftovers: rekindle's own temporary files, each by itself, and nothing waited for", () => {
    const facts = withNode(makeFacts(single), controlPlane, (node) => ({
      ...node,
      leftovers: seen(['/kind/.rekindle-a', '/etc/kubernetes/.rekindle-b']),
    }));
    expect(titles(planOf(facts))).toEqual([
      `remove /kind/.rekindle-a on ${controlPlane}`,
      `remove /etc/kubernetes/.rekindle-b on ${controlPlane}`,
    ]);
  });

  test('a restart policy is set to that of kind, and the former one is in the step', () => {
    const { failing } = scenarios['containers/restart-policy'] ?? { failing: makeFacts() };
    expect(planOf(failing).steps.map(({ step }) => step)).toEqual([
      {
        kind: 'set-restart-policy',
        container: controlPlane,
        policy: { name: 'on-failure', maximumRetryCount: 1 },
        previous: { name: 'no', maximumRetryCount: 0 },
      },
    ]);
  });

  test('certificate and key: made again, the API server restarted, the back-off cleared', () => {
    const facts = withNode(withoutApi(makeFacts(single)), controlPlane, (node) => ({
      ...node,
      certificates: { ...node.certificates, apiserver: unseen('/etc/kubernetes/pki/apiserver.crt does not exist') },
    }));
    expect(titles(planOf(facts))).toEqual([
      `make the apiserver certificate on ${controlPlane} again`,
      `restart kube-apiserver on ${controlPlane}`,
      `restart kubelet on ${controlPlane}`,
      'wait until the API server answers',
      'wait until the node is Ready at the right address',
      'wait until kube-controller-manager and kube-scheduler renew their leases',
    ]);
  });

  test('a node that only its own kubelet can bring back at its address: the entrypoint has done the rest', () => {
    const facts = rewriteFiles(moveNodes(makeFacts(single), { [controlPlane]: 9 }), controlPlane);
    const named = withServer(facts, controlPlane, 'kubelet', `https://${controlPlane}:6443`);
    expect(titles(planOf(named))[0]).toBe(`restart kubelet on ${controlPlane}`);
  });
});

describe('while the control plane does not run', () => {
  const stopped = withNode(stopContainer(makeFacts(withWorkers), controlPlane), worker, (inside) => ({
    ...inside,
    resolved: { ...inside.resolved, [controlPlane]: seen([]) },
  }));
  const facts = withServer(stopped, worker, 'kubelet', 'https://172.18.0.251:6443');

  test('a worker that dials elsewhere is left until there is something to dial', () => {
    const plan = planOf(facts);
    expect(titles(plan).filter((title) => title.includes('kubelet.conf'))).toEqual([]);
    expect(titles(plan)).toContain(`start the container ${controlPlane}`);
    expect(unserved(plan)).toContain(
      `node/kubelet-endpoint-stale ${worker}: ${controlPlane} has no address now; where to dial is known once it runs`,
    );
  });
});
