import fc from 'fast-check';
import type { Facts } from '../facts.ts';
import { seen, unseen } from '../observed.ts';
import {
  moveNodes,
  rewriteFiles,
  silence,
  stopContainer,
  withContainer,
  withFileAddress,
  withKubeconfig,
  withNode,
  withoutApi,
  withServer,
  withUnreadableNode,
} from './changes.ts';
import {
  type Families,
  highlyAvailable,
  makeFacts,
  secondsBefore,
  single,
  type Topology,
  withWorkers,
} from './facts.ts';
import { flagsFile, kubeadmFile, manifestFolder } from './node-files.ts';

export const anyTopology: fc.Arbitrary<Topology> = fc.constantFrom(single, withWorkers, highlyAvailable);
export const anyFamilies: fc.Arbitrary<Families> = fc.constantFrom('ipv4', 'ipv6', 'dual');

/** New hosts for every container, distinct; some keep theirs, some exchange them, some get fresh ones. */
export function anyMoves(facts: Facts): fc.Arbitrary<Readonly<Record<string, number>>> {
  const names = facts.containers.ok ? facts.containers.value.map(({ name }) => name) : [];
  // As many hosts as containers to choose from, and a few more, so that exchanges are frequent.
  const hosts = Array.from({ length: names.length + 2 }, (_, index) => index + 2);
  return fc
    .shuffledSubarray(hosts, { minLength: names.length, maxLength: names.length })
    .map((chosen) => Object.fromEntries(names.map((name, index) => [name, chosen[index] ?? 0])));
}

type Change = (facts: Facts) => Facts;

/** Facts after any number of faults of any kinds, on top of each other. */
export const anyFacts: fc.Arbitrary<Facts> = fc.tuple(anyTopology, anyFamilies).chain(([topology, families]) => {
  const healthy = makeFacts(topology, families);
  return fc
    .tuple(fc.option(anyMoves(healthy), { nil: {} }), fc.array(anyChange(healthy), { maxLength: 6 }))
    .map(([moves, changes]) => changes.reduce((facts, change) => change(facts), moveNodes(healthy, moves)));
});

function anyChange(healthy: Facts): fc.Arbitrary<Change> {
  const containers = healthy.containers.ok ? healthy.containers.value.map(({ name }) => name) : [];
  const nodes = Object.keys(healthy.nodes);
  const anyContainer = fc.constantFrom(...containers);
  const anyNode = fc.constantFrom(...nodes);
  const address = fc.integer({ min: 2, max: 20 }).map((host) => `172.18.0.${host}`);
  const inside = (name: string, change: Parameters<typeof withNode>[2]): Change => {
    return (facts) => (facts.nodes[name]?.ok === true ? withNode(facts, name, change) : facts);
  };
  const ifReadable = (name: string, change: Change): Change => {
    return (facts) => (facts.nodes[name]?.ok === true ? change(facts) : facts);
  };
  return fc.oneof(
    anyNode.map((name) => ifReadable(name, (facts) => rewriteFiles(facts, name))),
    anyContainer.map(
      (name): Change =>
        (facts) =>
          facts.nodes[name]?.ok === false ? facts : stopContainer(facts, name),
    ),
    anyContainer.map(
      (name): Change =>
        (facts) =>
          withContainer(facts, name, (container) => ({ ...container, state: 'paused' })),
    ),
    anyContainer.map(
      (name): Change =>
        (facts) =>
          withContainer(facts, name, (container) => ({
            ...container,
            restartPolicy: { name: 'no', maximumRetryCount: 0 },
          })),
    ),
    anyContainer.map(
      (name): Change =>
        (facts) =>
          withContainer(facts, name, (container) => ({ ...container, startedAt: secondsBefore(5) })),
    ),
    anyNode.map(
      (name): Change =>
        (facts) =>
          withUnreadableNode(facts, name),
    ),
    fc.constant<Change>((facts) => withoutApi(facts)),
    fc.tuple(anyNode, fc.constantFrom('kubelet', 'containerd')).map(([name, unit]) =>
      inside(name, (node) => ({
        ...node,
        [unit]: seen({ activeState: 'failed', subState: 'failed', restarts: 3, activeSince: '' }),
      })),
    ),
    fc
      .tuple(anyNode, fc.constantFrom('kubelet', 'controllerManager', 'scheduler'), address)
      .map(([name, key, host]) => ifReadable(name, (facts) => withServer(facts, name, key, `https://${host}:6443`))),
    fc
      .tuple(anyNode, fc.constantFrom(`${manifestFolder}/etcd.yaml`, kubeadmFile, flagsFile), address)
      .map(([name, file, old]) => ifReadable(name, (facts) => withFileAddress(facts, name, file, old))),
    anyNode.map((name) => inside(name, (node) => ({ ...node, leftovers: seen(['/kind/.rekindle-a-1-1']) }))),
    anyNode.map((name) => inside(name, (node) => ({ ...node, apiserverKeySha256: unseen('exit code 1') }))),
    fc.tuple(anyNode, fc.integer({ min: 30, max: 300 })).map(
      ([name, seconds]): Change =>
        (facts) =>
          facts.api.ok ? silence(facts, name, seconds) : facts,
    ),
    fc.integer({ min: 30, max: 300 }).map(
      (seconds): Change =>
        (facts) =>
          facts.api.ok
            ? {
                ...facts,
                api: seen({
                  ...facts.api.value,
                  schedulerLease: seen({ holder: 'x', renewedAt: secondsBefore(seconds) }),
                }),
              }
            : facts,
    ),
    fc
      .constantFrom<Parameters<typeof withKubeconfig>[1]>(
        { state: 'missing', contextPresent: false },
        { state: 'invalid', reason: 'line 1, column 1: not YAML', contextPresent: false },
        { server: 'https://127.0.0.1:1' },
        { expectedServer: null },
      )
      .map(
        (change): Change =>
          (facts) =>
            withKubeconfig(facts, change),
      ),
  );
}
