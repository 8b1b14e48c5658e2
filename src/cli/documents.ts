import * as z from 'zod';
import { bundleManifest } from '../bundle/manifest.ts';
import { diagnosis, finding } from '../engine/diagnosis.ts';
import { engineFacts } from '../facts/engine.ts';
import { facts } from '../facts/facts.ts';
import { findingRef, plan } from '../repairs/step.ts';

/** What the commands answer with: `-o json` prints these, the tables are drawn from them, docs/schema is made of them. */

const nodeCount = z
  .object({
    total: z.number(),
    ready: z.number().nullable().describe('Null where the API server could not be asked.'),
  })
  .nullable()
  .describe('Null where the containers could not be looked at.');

const clusterReport = diagnosis.extend({
  nodes: nodeCount,
  plan: plan.describe('What `heal` would do.'),
});
export type ClusterReport = z.infer<typeof clusterReport>;

const doctorDocument = z.object({
  format: z.literal('rekindle.doctor/v1'),
  source: z.enum(['live', 'recording']).describe('`recording`: judged from a file of facts.'),
  engine: engineFacts.nullable().describe('Null where no cluster was looked at although the engine answered.'),
  clusters: z.array(clusterReport),
});
export type DoctorDocument = z.infer<typeof doctorDocument>;

const clusterStatus = z.object({
  cluster: z.string(),
  verdict: diagnosis.shape.verdict,
  nodes: nodeCount,
  errors: z.number(),
  warnings: z.number(),
  causes: z.array(findingRef),
  summary: z.string().describe('One line for people.'),
});

const statusDocument = z.object({
  format: z.literal('rekindle.status/v1'),
  engine: engineFacts.nullable().describe('Null where no cluster was looked at although the engine answered.'),
  clusters: z.array(clusterStatus),
});
export type StatusDocument = z.infer<typeof statusDocument>;

const healDocument = z.object({
  format: z.literal('rekindle.heal/v1'),
  command: z.enum(['heal', 'undo']),
  cluster: z.string(),
  verdict: z
    .enum(['healthy', 'healed', 'remaining', 'unknown', 'planned', 'declined', 'unconfirmed', 'interrupted'])
    .describe(
      '`unconfirmed`: nobody was there to confirm the plan. For an undo, `healed` means put back and `remaining` not all.',
    ),
  dryRun: z.boolean(),
  run: z.string().nullable().describe('Null where no step was applied.'),
  undoes: z.string().nullable(),
  diagnosis,
  plans: z.array(plan).describe('One per round.'),
  applied: z.array(z.object({ title: z.string(), result: z.enum(['done', 'failed', 'skipped']), note: z.string() })),
  millisecondsToReady: z
    .number()
    .nullable()
    .describe('From the confirmed plan to all nodes Ready; null where they were all along, or are not.'),
});
export type HealDocument = z.infer<typeof healDocument>;

const runSummary = z.object({
  id: z.string(),
  command: z.enum(['heal', 'undo']),
  cluster: z.string(),
  startedAt: z.string().describe('ISO 8601.'),
  state: z.enum(['ended', 'running', 'interrupted']),
  verdict: z.string().nullable(),
  stepsDone: z.number(),
  undoes: z.string().nullable(),
});

const runStep = z.object({
  round: z.number(),
  step: z.string(),
  title: z.string(),
  result: z.enum(['done', 'failed', 'skipped', 'started']).describe('`started`: the journal ends in this step.'),
  note: z.string(),
});

const fileChange = z.object({
  node: z.string().nullable().describe('Null for a file of this host.'),
  path: z.string(),
  change: z.enum(['changed', 'created', 'removed', 'unclear']),
  summary: z.string(),
  diff: z.string().nullable().describe('Unified, free of secrets; null for keys and binary files.'),
});

const runsDocument = z.object({
  format: z.literal('rekindle.runs/v1'),
  directory: z.string(),
  runs: z.array(runSummary),
  detail: z
    .object({
      steps: z.array(runStep),
      snapshots: z.array(z.object({ node: z.string(), file: z.string(), bytes: z.number() })),
      changes: z.array(fileChange),
      millisecondsToReady: z.number().nullable(),
    })
    .nullable()
    .describe('Where one run was asked for.'),
});
export type RunsDocument = z.infer<typeof runsDocument>;

const explainDocument = z.object({
  format: z.literal('rekindle.explain/v1'),
  id: z.string(),
  title: z.string(),
  layer: z.string(),
  severity: z.enum(['error', 'warning']),
  meaning: z.string(),
  established: z.string(),
  done: z.string(),
  byHand: z.string(),
  page: z.string(),
  recorded: z
    .object({
      cluster: z.string(),
      gatheredAt: z.string(),
      findings: z.array(finding),
      steps: z.array(z.string()).describe('What `heal` would do about them.'),
    })
    .nullable()
    .describe('Where the recording of --from shows it; null without one.'),
});
export type ExplainDocument = z.infer<typeof explainDocument>;

const bundleDocument = z.object({
  format: z.literal('rekindle.bundle-written/v1'),
  path: z.string().nullable().describe('As it was named, or beside the working directory; null for standard output.'),
  bytes: z.number(),
  manifest: bundleManifest,
});
export type BundleDocument = z.infer<typeof bundleDocument>;

const demoPicture = z.object({
  nodes: z.array(
    z.object({
      name: z.string(),
      status: z.string().describe('As `kubectl get nodes` says it.'),
      internalAddress: z.string(),
      dockerAddress: z.string(),
    }),
  ),
  pods: z
    .array(
      z.object({
        namespace: z.string(),
        name: z.string(),
        workload: z.string(),
        ready: z.string().describe('As `kubectl get pods` says it: `0/1`.'),
        status: z.string(),
        restarts: z.number(),
        node: z.string(),
        lastWords: z.string().describe('The last line of its log; empty where there is none.'),
      }),
    )
    .describe('Those that are not well.'),
  urls: z.array(
    z.object({ host: z.string(), answer: z.number().nullable().describe('HTTP status; null: connection refused.') }),
  ),
});
export type DemoPicture = z.infer<typeof demoPicture>;

const demoRemainder = z.object({
  workload: z.string().describe('`namespace/name`.'),
  pods: z.number(),
  status: z.string(),
  lastWords: z.string(),
  beforeTheCrash: z.boolean().describe('Whether it was so before the crash.'),
});
export type DemoRemainder = z.infer<typeof demoRemainder>;

const demoEvent = z.object({ at: z.string().describe('ISO 8601.'), text: z.string() });
export type DemoEvent = z.infer<typeof demoEvent>;

const demoDocument = z.object({
  format: z.literal('rekindle.demo/v1'),
  simulated: z.literal(true).describe('Engine and cluster are simulated; doctor and heal are those of this program.'),
  scenario: z.string(),
  title: z.string(),
  seed: z.number(),
  cluster: z.string(),
  story: z.array(demoEvent).describe('How it came to that.'),
  before: demoPicture.describe('Before the crash.'),
  crashed: demoPicture,
  after: demoPicture.describe('After the heal.'),
  doctor: doctorDocument,
  heal: healDocument,
  remaining: z.array(demoRemainder).describe('Workloads that are not well after the heal.'),
});
export type DemoDocument = z.infer<typeof demoDocument>;

const demoListDocument = z.object({
  format: z.literal('rekindle.demo-list/v1'),
  scenarios: z.array(z.object({ name: z.string(), title: z.string() })),
});
export type DemoListDocument = z.infer<typeof demoListDocument>;

const errorDocument = z.object({
  format: z.literal('rekindle.error/v1'),
  exitCode: z.number(),
  message: z.string(),
  hint: z.string(),
});
export type ErrorDocument = z.infer<typeof errorDocument>;

export type ResultDocument =
  | DoctorDocument
  | StatusDocument
  | HealDocument
  | RunsDocument
  | ExplainDocument
  | BundleDocument
  | DemoListDocument;

/** By the name of the file under docs/schema. */
export const publishedSchemas = {
  doctor: doctorDocument,
  heal: healDocument,
  status: statusDocument,
  runs: runsDocument,
  explain: explainDocument,
  facts,
  bundle: bundleDocument,
  'bundle-manifest': bundleManifest,
  demo: demoDocument,
  'demo-list': demoListDocument,
  error: errorDocument,
} as const;
