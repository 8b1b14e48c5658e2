import * as z from 'zod';
import { plan } from '../repairs/step.ts';
import { StateError } from './errors.ts';
import type { JournalEntry } from './journal.ts';

const at = { at: z.string() };
const inStep = { ...at, round: z.number(), step: z.string() };
const onFile = { ...inStep, node: z.string().nullable(), path: z.string(), sha256: z.string().nullable() };

const journalEntry = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('run-started'),
    ...at,
    run: z.string(),
    command: z.enum(['heal', 'undo']),
    cluster: z.string(),
    engineId: z.string(),
    version: z.string(),
    undoes: z.string().nullable(),
  }),
  z.object({ type: z.literal('planned'), ...at, round: z.number(), plan }),
  z.object({
    type: z.literal('snapshot'),
    ...at,
    node: z.string(),
    file: z.string(),
    bytes: z.number(),
    sha256: z.string(),
  }),
  z.object({ type: z.literal('step-started'), ...inStep }),
  z.object({
    type: z.literal('backup'),
    ...onFile,
    backup: z.string().nullable(),
    mode: z.number(),
    uid: z.number(),
    gid: z.number(),
  }),
  z.object({ type: z.literal('wrote'), ...onFile, copy: z.string().nullable() }),
  z.object({ type: z.literal('step-done'), ...inStep, note: z.string() }),
  z.object({ type: z.literal('step-failed'), ...inStep, reason: z.string() }),
  z.object({ type: z.literal('step-skipped'), ...inStep, reason: z.string() }),
  z.object({ type: z.literal('run-ended'), ...at, verdict: z.string(), millisecondsToReady: z.number().nullable() }),
]) satisfies z.ZodType<JournalEntry>;

/**
 * Reads a journal's bytes. What follows the last line end was cut short by a crash before anybody relied on it, and
 * is left out, as is a last line of which only some blocks reached the disk. Damage anywhere else is a StateError
 * that names file and line; `onDamage: 'stop'` answers what stands before it instead.
 */
export function parseJournal(bytes: Buffer, path: string, onDamage: 'throw' | 'stop' = 'throw'): JournalEntry[] {
  const lines = bytes
    .subarray(0, bytes.lastIndexOf(0x0a) + 1)
    .toString('utf8')
    .split('\n')
    .slice(0, -1);
  const entries: JournalEntry[] = [];
  for (const [index, line] of lines.entries()) {
    const problem = readLine(line, entries);
    if (problem === null) continue;
    const unreadable = problem === 'not JSON';
    if (onDamage === 'stop' || (unreadable && index === lines.length - 1)) break;
    throw new StateError(
      `${path}, line ${index + 1}: ${unreadable ? 'the line is damaged' : `the entry is not one this version of rekindle knows (${problem})`}. ` +
        `Nothing was changed. The files in backups/ beside it are intact and can be put back by hand.`,
      { path },
    );
  }
  return entries;
}

function readLine(line: string, entries: JournalEntry[]): string | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return 'not JSON';
  }
  const parsed = journalEntry.safeParse(value);
  if (!parsed.success) return parsed.error.issues.map((issue) => issue.path.join('.') || issue.message).join(', ');
  entries.push(parsed.data);
  return null;
}
