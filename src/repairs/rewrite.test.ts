import fc from 'fast-check';
import { expect, test } from 'vitest';
import { diagnose } from '../engine/diagnose.ts';
import { makePlan } from '../engine/plan.ts';
import type { Facts } from '../facts/facts.ts';
import type { KubeconfigFacts } from '../facts/node.ts';
import { type Observed, seen } from '../facts/observed.ts';
import { anyFamilies, anyMoves, anyTopology } from '../facts/testing/arbitrary.ts';
import { containerOf, moveNodes, withNode } from '../facts/testing/changes.ts';
import { type Families, fileValues, makeFacts, slotsOf } from '../facts/testing/facts.ts';
import { isVersion6, renderKubeconfig, renderNodeFiles } from '../facts/testing/node-files.ts';
import { summarizeKubeconfig } from '../kubeconfig/summarize.ts';
import { applyEdits } from '../manifests/edits.ts';
import { serverUrl } from '../manifests/address.ts';

/*
 * Nodes whose files were left in any state between two addresses, line by line, after any exchange of addresses. What
 * the plan's edits make of them is compared with what kind's entrypoint would have written.
 */

const kubeconfigs = {
  kubelet: '/etc/kubernetes/kubelet.conf',
  controllerManager: '/etc/kubernetes/controller-manager.conf',
  scheduler: '/etc/kubernetes/scheduler.conf',
} as const;

type Files = Map<string, string>;

interface Case {
  readonly facts: Facts;
  readonly files: ReadonlyMap<string, Files>;
  /** The same files with every own address the present one; kubeconfigs are not among them. */
  readonly rewritten: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

/** Which lines are behind, by turns; which server each kubeconfig names; whether nodes resolve host names. */
interface Choices {
  readonly behind: readonly boolean[];
  readonly servers: readonly ('before' | 'now' | 'name' | 'elsewhere')[];
  readonly resolves: boolean;
}

const anyChoices: fc.Arbitrary<Choices> = fc.record({
  behind: fc.array(fc.boolean(), { minLength: 1, maxLength: 60 }),
  servers: fc.array(fc.constantFrom('before', 'now', 'name', 'elsewhere'), { minLength: 1, maxLength: 12 }),
  resolves: fc.boolean(),
});

const anyCase: fc.Arbitrary<Case> = fc.tuple(anyTopology, anyFamilies).chain(([topology, families]) => {
  const before = makeFacts(topology, families);
  return fc
    .tuple(anyMoves(before), anyChoices)
    .map(([moves, choices]) => makeCase(before, moveNodes(before, moves), families, choices));
});

function makeCase(before: Facts, after: Facts, families: Families, choices: Choices): Case {
  const behind = takeTurns(choices.behind);
  const server = takeTurns(choices.servers);
  const files = new Map<string, Files>();
  const rewritten = new Map<string, ReadonlyMap<string, string>>();
  let facts = after;
  for (const name of Object.keys(before.nodes)) {
    const { old, now } = renderBoth(name, before, after, families);
    rewritten.set(name, now);
    const mixed = new Map([...now].map(([path, text]) => [path, mixLines(old.get(path) ?? '', text, behind)]));
    for (const [key, path] of Object.entries(kubeconfigs)) {
      const container = containerOf(after, name);
      if (key !== 'kubelet' && container.role === 'worker') continue;
      mixed.set(path, conf(chooseServer(server(), name, before, after, families)));
    }
    files.set(name, mixed);
    facts = observe(facts, name, mixed);
    if (!choices.resolves) facts = withNode(facts, name, (node) => ({ ...node, resolved: {} }));
  }
  return { facts, files, rewritten };
}

/** A node's files with its address of before and of now. Both keep other members at the addresses they had. */
function renderBoth(name: string, before: Facts, after: Facts, families: Families) {
  const list = before.containers.ok ? before.containers.value : [];
  const values = fileValues(containerOf(before, name), list, families);
  const present = fileValues(containerOf(after, name), list, families);
  const members = values.members.map((member) =>
    member.name === name ? { name, address: present.addresses[0] ?? '' } : member,
  );
  const decoy = values.addresses.map((address) => `# moved from ${address}, https://${address}:2380`).join('\n');
  const withDecoys = (rendered: ReadonlyMap<string, string>) =>
    new Map([...rendered].map(([path, text]) => [path, path.startsWith('/kind/old-') ? text : `${text}${decoy}\n`]));
  return {
    old: withDecoys(renderNodeFiles(values)),
    now: withDecoys(renderNodeFiles({ ...present, members })),
  };
}

function chooseServer(
  choice: Choices['servers'][number],
  name: string,
  before: Facts,
  after: Facts,
  families: Families,
): string {
  const container = containerOf(after, name);
  const family = families === 'ipv6' ? 'ipv6' : 'ipv4';
  if (choice === 'elsewhere') return serverUrl(families === 'ipv6' ? 'fc00:f853:ccd:e793::fe' : '172.18.0.254', 6443);
  const values = fileValues(container, after.containers.ok ? after.containers.value : [], families);
  const target = container.role === 'control-plane' ? name : values.entryPoint;
  return serverUrl(
    choice === 'name' ? target : containerOf(choice === 'before' ? before : after, target)[family],
    6443,
  );
}

function conf(server: string): string {
  return renderKubeconfig({ cluster: 'idp-mvp', user: 'system:node:x', server, authority: 'not read here' });
}

function observe(facts: Facts, name: string, files: Files): Facts {
  const read = (path: string): Observed<string> => {
    const text = files.get(path);
    return text === undefined ? { ok: false, reason: 'not in this case' } : seen(text);
  };
  return withNode(facts, name, (node) => ({
    ...node,
    addressSlots: slotsOf(name, files),
    recordedIpv4: files.has('/kind/old-ipv4') ? seen((files.get('/kind/old-ipv4') ?? '').trim()) : node.recordedIpv4,
    recordedIpv6: files.has('/kind/old-ipv6') ? seen((files.get('/kind/old-ipv6') ?? '').trim()) : node.recordedIpv6,
    kubeconfigs: {
      ...node.kubeconfigs,
      kubelet: summarize(read(kubeconfigs.kubelet)),
      ...(node.role === 'worker'
        ? {}
        : {
            controllerManager: summarize(read(kubeconfigs.controllerManager)),
            scheduler: summarize(read(kubeconfigs.scheduler)),
          }),
    },
  }));
}

function summarize(text: Observed<string>): Observed<KubeconfigFacts> {
  if (!text.ok) return text;
  const summary = summarizeKubeconfig(text.value);
  if (!summary.ok) return summary;
  const { server, host, hostIsAddress, serverText } = summary.value;
  return seen({ server, host, hostIsAddress, serverText, caSha256: null });
}

/** Each file's lines, taken from the old text or the new one. */
function mixLines(old: string, now: string, isBehind: () => boolean): string {
  const before = old.split('\n');
  return now
    .split('\n')
    .map((line, index) => (isBehind() ? (before[index] ?? '') : line))
    .join('\n');
}

function takeTurns<T>(list: readonly T[]): () => T {
  let turn = 0;
  return () => list[turn++ % list.length] as T;
}

/** Makes the plan's edits to the files; throws where one does not fit. */
function edit({ facts, files }: Case): Map<string, Files> {
  const edited = new Map([...files].map(([name, own]) => [name, new Map(own)]));
  for (const { step } of makePlan(facts, diagnose(facts)).steps) {
    if (step.kind !== 'edit-file') continue;
    const own = edited.get(step.node);
    const text = own?.get(step.path);
    if (own === undefined || text === undefined) throw new Error(`the plan edits ${step.path}, which is not there`);
    const result = applyEdits(text, step.edits);
    if (result.kind !== 'changed') throw new Error(`an edit of ${step.path} is ${JSON.stringify(result)}`);
    own.set(step.path, result.text);
  }
  return edited;
}

/** Milliseconds; shrinking a counterexample takes longer than finding none. */
const patience = 60_000;

const ownFindings = ['node/manifest-address-stale', 'node/kubelet-endpoint-stale', 'node/component-endpoint-stale'];

test(
  "after the plan's edits no file of a node names another address than the present one",
  () => {
    fc.assert(
      fc.property(anyCase, (one) => {
        const facts = [...edit(one)].reduce((changed, [name, files]) => observe(changed, name, files), one.facts);
        const left = diagnose(facts).findings.filter(({ id }) => ownFindings.includes(id));
        expect(left.map(({ summary, evidence }) => [summary, ...evidence])).toEqual([]);
      }),
      { numRuns: 60 },
    );
  },
  patience,
);

test(
  'the edited files are byte for byte those that the entrypoint would have written, other members and all',
  () => {
    fc.assert(
      fc.property(anyCase, (one) => {
        for (const [name, files] of edit(one)) {
          for (const [path, text] of one.rewritten.get(name) ?? [])
            expect(files.get(path), `${name} ${path}`).toBe(text);
        }
      }),
      { numRuns: 60 },
    );
  },
  patience,
);

test(
  'kubeconfigs change in their server alone, to a name where names resolve, to the present address otherwise',
  () => {
    fc.assert(
      fc.property(anyCase, (one) => {
        for (const [name, files] of edit(one)) {
          for (const path of Object.values(kubeconfigs)) {
            const [before, after] = [one.files.get(name)?.get(path), files.get(path)];
            if (before === undefined || after === undefined || before === after) continue;
            expect(after.replace(/server: .*/, '')).toBe(before.replace(/server: .*/, ''));
            const host = /server: https:\/\/\[?([^\]\n]*?)\]?:6443\n/.exec(after)?.[1] ?? '';
            const inside = one.facts.nodes[name];
            const resolves = inside?.ok === true && Object.keys(inside.value.resolved).length > 0;
            expect(isVersion6(host) || /^[\d.]+$/.test(host), `${path}: ${host}`).toBe(!resolves);
          }
        }
      }),
      { numRuns: 60 },
    );
  },
  patience,
);

test(
  'edits made already are nothing to do: a second plan of the same nodes edits no file',
  () => {
    fc.assert(
      fc.property(anyCase, (one) => {
        const facts = [...edit(one)].reduce((changed, [name, files]) => observe(changed, name, files), one.facts);
        expect(makePlan(facts, diagnose(facts)).steps.filter(({ step }) => step.kind === 'edit-file')).toEqual([]);
      }),
      { numRuns: 40 },
    );
  },
  patience,
);
