import * as z from 'zod';
import { apiFacts } from './api.ts';
import { containerFacts, networkFacts } from './containers.ts';
import { engineFacts } from './engine.ts';
import { hostKubeconfigFacts } from './host.ts';
import { nodeFacts } from './node.ts';
import { observed } from './observed-schema.ts';

/** Everything observed of one cluster at one moment: plain JSON, free of secrets, the same thing live, in a fixture and in a bundle. */
export const facts = z
  .object({
    format: z.literal('rekindle.facts/v1'),
    /** ISO 8601, by this host's clock. */
    gatheredAt: z.iso.datetime(),
    cluster: z.string(),
    engine: engineFacts,
    containers: observed(z.array(containerFacts).readonly()),
    network: observed(networkFacts),
    /** One per node container; those that could not be looked into carry the reason. */
    nodes: z.record(z.string(), observed(nodeFacts)).readonly(),
    api: observed(apiFacts),
    kubeconfig: observed(hostKubeconfigFacts),
  })
  .readonly();

export type Facts = z.infer<typeof facts>;
