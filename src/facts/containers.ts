import * as z from 'zod';

/** kind's role label, `io.x-k8s.kind.role`. */
export const role = z.enum(['control-plane', 'worker', 'external-load-balancer']);
export type Role = z.infer<typeof role>;

/** Layer "containers": what the engine says of one of the cluster's containers. */
export const containerFacts = z
  .object({
    name: z.string(),
    role,
    image: z.string(),
    /** Docker's word: created, running, paused, restarting, exited, dead. */
    state: z.string(),
    running: z.boolean(),
    exitCode: z.number(),
    /** Docker's error text for a container that could not start. */
    error: z.string(),
    /** ISO 8601 by the engine's clock. */
    startedAt: z.string(),
    finishedAt: z.string(),
    restartPolicy: z.object({ name: z.string(), maximumRetryCount: z.number() }).readonly(),
    /** The address in kind's network now; empty while the container does not run. */
    ipv4: z.string(),
    ipv6: z.string(),
    /** Where 6443 of this container is published on the host, if it is. */
    apiPort: z.object({ hostIp: z.string(), hostPort: z.number() }).readonly().nullable(),
  })
  .readonly();

export type ContainerFacts = z.infer<typeof containerFacts>;

/** Layer "network": kind's Docker network, shared by all kind clusters of the engine. */
export const networkFacts = z
  .object({
    name: z.string(),
    subnets: z.array(z.string()).readonly(),
    members: z.array(z.object({ container: z.string(), ipv4: z.string(), ipv6: z.string() }).readonly()).readonly(),
  })
  .readonly();

export type NetworkFacts = z.infer<typeof networkFacts>;
