import * as z from 'zod';

/** The host's kubeconfig, as far as this cluster is concerned; no secrets. */
export const hostKubeconfigFacts = z
  .object({
    path: z.string(),
    /** `missing`: no such file. `invalid`: not a kubeconfig, with the place in `reason`. */
    state: z.enum(['readable', 'missing', 'invalid', 'unreadable']),
    reason: z.string(),
    /** The context kind makes for the cluster, `kind-<cluster>`. */
    context: z.string(),
    contextPresent: z.boolean(),
    userPresent: z.boolean(),
    server: z.string().nullable(),
    /** SHA-256 of the certificate authority's DER, hex. */
    caSha256: z.string().nullable(),
    /** The server that belongs there, by the port published now; null where nothing is published. */
    expectedServer: z.string().nullable(),
    currentContext: z.string(),
  })
  .readonly();
export type HostKubeconfigFacts = z.infer<typeof hostKubeconfigFacts>;
