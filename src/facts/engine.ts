import * as z from 'zod';

/** Layer "engine": whether a Docker engine answers, and where we looked for it. */
export const endpointAttempt = z
  .object({ source: z.string(), endpoint: z.string(), reason: z.string().optional() })
  .readonly();

export const engineFacts = z
  .object({
    /** `reachable`, or the kind of failure. */
    state: z.enum(['reachable', 'unreachable', 'permission-denied']),
    endpoint: z.string(),
    /** Why it could not be reached; empty where it could. */
    reason: z.string(),
    attempts: z.array(endpointAttempt).readonly(),
    id: z.string(),
    version: z.string(),
    operatingSystem: z.string(),
    /** The platform rekindle itself runs on, by Node's name: linux, darwin, win32. */
    hostPlatform: z.string(),
  })
  .readonly();

export type EngineFacts = z.infer<typeof engineFacts>;
