import * as z from 'zod';

/** The schema of an `Observed`; apart from it, so that only those who validate load the library. */
export function observed<T extends z.ZodType>(value: T) {
  return z.discriminatedUnion('ok', [
    z.object({ ok: z.literal(true), value }).readonly(),
    z.object({ ok: z.literal(false), reason: z.string() }).readonly(),
  ]);
}
