import * as z from 'zod';

/**
 * Steps are data. Dry run, journal, undo and progress are written once, over this list; what a step does stands in
 * src/engine/steps/, one file per kind. Steps hold no secrets: file edits name only the text that changes.
 */

const nodeFile = { node: z.string(), path: z.string() };

export const step = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('start-container'), container: z.string() }),
  z.object({
    kind: z.literal('set-restart-policy'),
    container: z.string(),
    policy: z.object({ name: z.string(), maximumRetryCount: z.number() }),
    previous: z.object({ name: z.string(), maximumRetryCount: z.number() }),
  }),
  /** Until the node's init system and container runtime answer. */
  z.object({ kind: z.literal('wait-boot'), node: z.string() }),
  /** Each `from` is replaced where it stands; an edit whose `from` is gone while its `to` is there counts as made. */
  z.object({
    kind: z.literal('edit-file'),
    ...nodeFile,
    edits: z.array(z.object({ from: z.string(), to: z.string() })),
  }),
  z.object({ kind: z.literal('remove-file'), ...nodeFile }),
  /** By `kubeadm init phase certs`, with the node's own authority and /kind/kubeadm.conf. */
  z.object({ kind: z.literal('remake-certificate'), node: z.string(), certificate: z.literal('apiserver') }),
  /** Ends a static pod's container, for the kubelet to make it again with what its files say now. */
  z.object({ kind: z.literal('restart-component'), node: z.string(), component: z.string() }),
  z.object({ kind: z.literal('restart-unit'), node: z.string(), unit: z.enum(['kubelet', 'containerd']) }),
  /** Until the API server answers /readyz; on the way the kubelet is restarted once more where a static pod stays away. */
  z.object({ kind: z.literal('wait-api') }),
  /** Until each node is Ready and its INTERNAL-IP is the given address. */
  z.object({
    kind: z.literal('wait-nodes'),
    nodes: z.array(z.object({ name: z.string(), addresses: z.array(z.string()) })),
  }),
  /** Until each component's lease has been renewed since this wait began; a new leader first lets the old lease run out (15 s). */
  z.object({ kind: z.literal('wait-controllers'), components: z.array(z.string()) }),
  z.object({
    kind: z.literal('merge-kubeconfig'),
    path: z.string(),
    context: z.string(),
    server: z.string(),
    node: z.string(),
  }),
  /** Undo: the kept bytes, mode and owner back in place; `absent` backups remove the file. `node` is null for a file of this host. */
  z.object({
    kind: z.literal('restore-file'),
    node: z.string().nullable(),
    path: z.string(),
    run: z.string(),
    backup: z.string(),
  }),
]);
export type Step = z.infer<typeof step>;
export type StepOf<Kind extends Step['kind']> = Extract<Step, { kind: Kind }>;

export const risk = z.enum(['safe', 'disruptive', 'destructive']);
export type Risk = z.infer<typeof risk>;

export const findingRef = z.object({ id: z.string(), subject: z.string() });
export type FindingRef = z.infer<typeof findingRef>;

export const plannedStep = z.object({
  /** `1`, `2`, … in the order shown. */
  id: z.string(),
  step,
  /** What it does, for people: `restart the kubelet on idp-mvp-control-plane`. */
  title: z.string(),
  /** Why, for people; one per finding it serves. */
  reasons: z.array(z.string()),
  mends: z.array(findingRef),
  risk,
  /** Steps that must have been applied before; one that failed skips this one. */
  needs: z.array(z.string()),
});
export type PlannedStep = z.infer<typeof plannedStep>;

export const plan = z.object({
  steps: z.array(plannedStep),
  /** Findings that no step serves, with the reason: told by hand, above --max-risk, left to a cause, tried already. */
  unserved: z.array(findingRef.extend({ reason: z.string(), byHand: z.array(z.string()) })),
});
export type Plan = z.infer<typeof plan>;
