import * as z from 'zod';
import { observed } from './observed-schema.ts';

/** Layer "nodes": a Node object, as far as the checks need it. */
export const apiNodeFacts = z
  .object({
    name: z.string(),
    /** The Ready condition's status: True, False, Unknown; empty where there is no such condition. */
    ready: z.string(),
    readyReason: z.string(),
    /** ISO 8601, by the control plane's clock. */
    readySince: z.string(),
    internalAddresses: z.array(z.string()).readonly(),
    /** When the kubelet last renewed its lease; null where there is none. */
    leaseRenewedAt: z.string().nullable(),
  })
  .readonly();
export type ApiNodeFacts = z.infer<typeof apiNodeFacts>;

export const leaseFacts = z.object({ holder: z.string(), renewedAt: z.string() }).readonly();

/** Layer "control plane": what the API server answers, once for the whole cluster. */
export const apiFacts = z
  .object({
    via: z.enum(['published-port', 'node']),
    endpoint: z.string(),
    /** Why the published port did not serve, where the way through a node was gone instead; empty where it did. */
    portFailure: z.string(),
    /**
     * What /readyz says where the server is not ready; empty where it is. A server without its etcd goes on answering
     * lists from its cache, so the lists alone prove nothing.
     */
    unready: z.string(),
    nodes: z.array(apiNodeFacts).readonly(),
    controllerManagerLease: observed(leaseFacts),
    schedulerLease: observed(leaseFacts),
  })
  .readonly();
export type ApiFacts = z.infer<typeof apiFacts>;
