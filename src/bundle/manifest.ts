import * as z from 'zod';
import { secretKinds } from './redact/kinds.ts';

/** What a bundle says of itself: manifest.json, the first file in it. */
export const bundleManifest = z.object({
  format: z.literal('rekindle.bundle/v1'),
  madeAt: z.iso.datetime().describe("By this host's clock."),
  version: z.string().describe('Of the rekindle that made it.'),
  hostPlatform: z.string().describe('As Node names it: linux, darwin, win32.'),
  cluster: z.string().describe('Empty where no engine answered and no cluster was named.'),
  files: z.array(z.object({ path: z.string(), what: z.string(), bytes: z.number() })),
  missing: z.array(z.object({ what: z.string(), reason: z.string() })).describe('What could not be had.'),
  removed: z
    .array(z.object({ kind: z.enum(secretKinds), file: z.string(), count: z.number() }))
    .describe('The secrets that were taken out, by kind and file; `manifest.json` among the files.'),
});
export type BundleManifest = z.infer<typeof bundleManifest>;
