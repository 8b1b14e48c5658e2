import type { Diagnosis } from '../../engine/diagnosis.ts';
import type { Answer, HealOutcome, Host } from '../../engine/messages.ts';
import type { EngineFacts } from '../../facts/engine.ts';
import type { Facts } from '../../facts/facts.ts';
import type { Plan } from '../../repairs/step.ts';
import type { FileChange } from '../../runs/diff.ts';
import type { WorldOptions } from '../../engine/world.ts';
import { packBundle } from '../../bundle/pack.ts';
import type { EngineApi } from '../engine-api.ts';
import type { JournalEntry, RunSummary } from '../../runs/journal.ts';
import { emptyPlan, makeBare, makeCrashed, makeCrashPlan, makeFacts, makeHealthy, makeMaterial } from './samples.ts';

export interface FakeCluster {
  readonly facts: Facts;
  readonly diagnosis: Diagnosis;
  readonly plan: Plan;
  /** What the verification after the last step finds. */
  readonly after: Diagnosis;
}

export interface FakeEngineOptions {
  readonly clusters?: readonly FakeCluster[];
  readonly failure?: EngineFacts;
  readonly currentContext?: string;
  readonly runs?: readonly RunSummary[];
  readonly journal?: readonly JournalEntry[];
  readonly changes?: readonly FileChange[];
  /** Called in the middle of a heal, before the last step. */
  readonly duringHeal?: () => void;
  readonly failWith?: Error;
}

export interface FakeEngine extends EngineApi {
  readonly worlds: WorldOptions[];
  /** The plan options and time-outs of every heal. */
  readonly heals: { only: readonly string[]; maxRisk: string; timeoutMs: number; dryRun: boolean }[];
  /** Titles of the steps that were applied. */
  readonly applied: string[];
}

export function makeCluster(diagnosis: Diagnosis, rest: Partial<FakeCluster> = {}): FakeCluster {
  return {
    diagnosis,
    facts: makeFacts(diagnosis.cluster, {
      ready: diagnosis.verdict === 'unknown' ? null : diagnosis.verdict === 'broken' ? 2 : 3,
    }),
    plan: diagnosis.verdict === 'broken' ? makeCrashPlan(diagnosis.cluster) : emptyPlan,
    after: makeHealthy(diagnosis.cluster),
    ...rest,
  };
}

const findingIds = [
  'node/kubelet-endpoint-stale',
  'node/leftover-files',
  'nodes/not-ready',
  'host/kubeconfig-port-stale',
];

/** Behaves as the engine does towards a command: the same messages, question and outcome, over made-up clusters. */
export function makeFakeEngine(options: FakeEngineOptions = {}): FakeEngine {
  const clusters = options.clusters ?? [];
  const worlds: WorldOptions[] = [];
  const heals: FakeEngine['heals'] = [];
  const applied: string[] = [];
  const find = (name: string): FakeCluster => {
    if (options.failWith !== undefined) throw options.failWith;
    const cluster = clusters.find(({ diagnosis }) => diagnosis.cluster === name);
    if (cluster === undefined) throw new Error(`no fake cluster ${name}`);
    return cluster;
  };
  return {
    worlds,
    heals,
    applied,
    openWorld: async (worldOptions) => {
      worlds.push(worldOptions);
      return 'world';
    },
    readEngineFailure: () => options.failure ?? null,
    listClusters: async () => clusters.map(({ diagnosis }) => diagnosis.cluster),
    diagnoseCluster: async (_world, name, { host }) => {
      if (options.failure !== undefined && options.failure !== null) return makeUnreachable(options.failure);
      const { facts, diagnosis } = find(name);
      host.tell({ code: 'gather-started', cluster: name });
      host.tell({ code: 'gather-ended', cluster: name });
      return { facts, diagnosis };
    },
    diagnoseFacts: (facts) => makeCrashed(facts.cluster),
    planFor: (facts) =>
      facts.engine.state !== 'reachable'
        ? {
            steps: [],
            unserved: [
              {
                id: 'engine/unreachable',
                subject: '',
                reason: 'told',
                byHand: ['sudo systemctl start docker   # the system engine'],
              },
            ],
          }
        : (clusters.find(({ diagnosis }) => diagnosis.cluster === facts.cluster)?.plan ?? makeCrashPlan(facts.cluster)),
    healCluster: async (_world, name, { host, signal, dryRun, only, maxRisk, timeoutMs }) => {
      heals.push({ only, maxRisk, timeoutMs, dryRun });
      return heal(find(name), {
        host,
        signal,
        dryRun,
        question: `Apply ${find(name).plan.steps.length} steps to ${name}?`,
      });
    },
    makeBundle: async (_world, name, { host }) => {
      if (options.failWith !== undefined) throw options.failWith;
      host.tell({ code: 'gather-started', cluster: name });
      host.tell({ code: 'gather-ended', cluster: name });
      return packBundle({ ...makeMaterial(name), ...(options.failure === undefined ? {} : makeBare(options.failure)) });
    },
    undoRun: async (_world, run, { host, signal, dryRun }) =>
      heal(find(clusters[0]?.diagnosis.cluster ?? ''), { host, signal, dryRun, question: `Put ${run} back?` }),
    explainFinding: (id) =>
      id === 'node/kubelet-endpoint-stale'
        ? {
            id,
            title: 'Every kubelet talks to an address at which its API server answers.',
            layer: 'node',
            severity: 'error',
            meaning:
              'The kubelet dials an address that this node no longer has. Its node turns NotReady and its pods are evicted.',
            established: 'The server in /etc/kubernetes/kubelet.conf is compared with the addresses of the node.',
            done: '1. It points kubelet.conf at the host name of the node.\n2. It restarts the kubelet.',
            byHand: '```\ndocker exec idp-mvp-control-plane systemctl restart kubelet\n```',
            page: 'docs/findings/node-kubelet-endpoint-stale.md',
          }
        : undefined,
    allFindingIds: () => findingIds,
    readCurrentContext: async () => options.currentContext ?? '',
    openRuns: () => ({
      directory: '/home/ada/.local/state/rekindle',
      list: async () => options.runs ?? [],
      resolve: async (reference) => {
        const found = (options.runs ?? []).filter(({ id }) => reference === 'last' || id.startsWith(reference));
        if (found[0] !== undefined) return found[0].id;
        throw Object.assign(new Error(`there is no run "${reference}"`), { name: 'RunNotFoundError' });
      },
      read: async () => options.journal ?? [],
      describeChanges: async () => options.changes ?? [],
    }),
  };

  async function heal(
    cluster: FakeCluster,
    { host, signal, dryRun, question }: { host: Host; signal: AbortSignal; dryRun: boolean; question: string },
  ): Promise<HealOutcome> {
    const { diagnosis, plan } = cluster;
    const name = diagnosis.cluster;
    const end = (verdict: HealOutcome['verdict'], rest: Partial<HealOutcome> = {}): HealOutcome => ({
      verdict,
      cluster: name,
      run: null,
      diagnosis,
      plans: plan.steps.length > 0 ? [plan] : [],
      applied: [],
      millisecondsToReady: null,
      ...rest,
    });
    host.tell({ code: 'gather-started', cluster: name });
    host.tell({ code: 'gather-ended', cluster: name });
    host.tell({ code: 'diagnosed', diagnosis, round: 1 });
    if (diagnosis.verdict === 'healthy' || diagnosis.verdict === 'unknown') return end(diagnosis.verdict);
    host.tell({ code: 'planned', cluster: name, plan, round: 1, dryRun });
    if (dryRun) return end('planned');
    if (plan.steps.length === 0) return end('remaining');
    const answer: Answer = await host.ask({ code: 'apply-plan', text: question, defaultAnswer: true }, signal);
    if (signal.aborted) return end('interrupted');
    if (answer !== 'yes') return end('declined');
    const run = '20260504-091500-x4k2';
    host.tell({ code: 'run-started', cluster: name, run, directory: `/state/runs/${run}` });
    host.tell({
      code: 'snapshot-taken',
      node: `${name}-control-plane`,
      path: `/state/runs/${run}/etcd.db`,
      bytes: 4096,
    });
    const done: { title: string; result: 'done'; note: string }[] = [];
    for (const [index, { id, title }] of plan.steps.entries()) {
      if (index === plan.steps.length - 1) options.duringHeal?.();
      if (signal.aborted) return end('interrupted', { run, applied: done });
      host.tell({ code: 'step-started', step: id, title });
      if (index === 2)
        host.tell({ code: 'step-progress', step: id, text: `2 of 3 nodes Ready; waiting for ${name}-worker` });
      host.tell({ code: 'step-done', step: id, title, note: '', milliseconds: index * 1500 });
      applied.push(title);
      done.push({ title, result: 'done', note: '' });
    }
    const verdict = cluster.after.findings.some(({ severity }) => severity === 'error') ? 'remaining' : 'healed';
    const outcome = end(verdict, {
      run,
      diagnosis: cluster.after,
      applied: done,
      millisecondsToReady: verdict === 'healed' ? 3100 : null,
    });
    host.tell({ code: 'run-ended', cluster: name, run, outcome });
    return outcome;
  }
}

/** What a look without an engine comes to: the one finding that tells so. */
function makeUnreachable(engine: EngineFacts): { facts: Facts; diagnosis: Diagnosis } {
  const unseen = { ok: false as const, reason: 'no Docker engine answers' };
  const gatheredAt = '2026-11-30T18:45:00.000Z';
  return {
    facts: {
      format: 'rekindle.facts/v1',
      gatheredAt,
      cluster: '',
      engine,
      containers: unseen,
      network: unseen,
      nodes: {},
      api: unseen,
      kubeconfig: unseen,
    },
    diagnosis: {
      cluster: '',
      gatheredAt,
      verdict: 'unknown',
      findings: [
        {
          id: 'engine/unreachable',
          layer: 'engine',
          severity: 'error',
          subject: '',
          title: 'A Docker engine answers',
          summary: engine.reason,
          evidence: [],
          cause: null,
        },
      ],
      unknown: [],
      passed: [],
      skipped: [],
    },
  };
}
