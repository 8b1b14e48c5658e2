/**
 * Something we tried to look at: its value, or the reason why it could not be read.
 * A check that meets a reason answers "unknown"; it never takes it for healthy.
 */
export type Observed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reason: string };

export function seen<T>(value: T): Observed<T> {
  return { ok: true, value };
}

export function unseen(reason: string): { readonly ok: false; readonly reason: string } {
  return { ok: false, reason };
}
