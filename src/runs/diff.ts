import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import type { RunStore } from './journal.ts';
import { redactAll, redacted } from './redact.ts';
import { describeFile, planRestore } from './undo.ts';

export interface FileChange {
  /** Null for a file of this host. */
  readonly node: string | null;
  readonly path: string;
  /** `unclear`: the run was cut short before it told what it wrote. */
  readonly change: 'changed' | 'created' | 'removed' | 'unclear';
  /** For people: `changed (1679 bytes)`, `created (12 bytes)`, `removed`. */
  readonly summary: string;
  /** A unified diff without secrets; null for keys, binary files and where there is nothing to compare. */
  readonly diff: string | null;
}

/** Past this many changed lines a diff tells less than its absence, and takes long to make. */
const longestDiff = 5000;

/**
 * What a run changed, one entry per file, from before its first change to what it wrote last. Rejects as
 * `RunStore.read` and `RunStore.readStored` do.
 */
export async function describeChanges(store: RunStore, run: string): Promise<FileChange[]> {
  const entries = await store.read(run);
  const changes: FileChange[] = [];
  for (const file of planRestore(entries).files.toReversed()) {
    const { node, path } = file;
    const wrote = entries.findLast((entry) => entry.type === 'wrote' && entry.node === node && entry.path === path);
    const summary = 'unclear: a step was cut short before it told what it wrote';
    if (wrote?.type !== 'wrote') {
      changes.push({ node, path, change: 'unclear', summary, diff: null });
      continue;
    }
    if (wrote.sha256 === file.sha256 && !file.mayDiffer) continue;
    const before = file.backup === null ? null : await store.readStored(run, file.backup);
    const after = wrote.copy === null ? null : await store.readStored(run, wrote.copy);
    const told = file.mayDiffer ? { change: 'unclear' as const, summary } : describe(before, after);
    changes.push({ node, path, ...told, diff: compare(file, before, after) });
  }
  return changes;
}

function describe(before: Buffer | null, after: Buffer | null): Pick<FileChange, 'change' | 'summary'> {
  if (after === null) return { change: 'removed', summary: 'removed' };
  if (before === null) return { change: 'created', summary: `created (${after.length} bytes)` };
  return { change: 'changed', summary: `changed (${after.length} bytes)` };
}

function compare(
  file: { node: string | null; path: string },
  before: Buffer | null,
  after: Buffer | null,
): string | null {
  if (/\.(key|p12|pfx|jks|db)$/i.test(file.path)) return null;
  const oldText = before === null ? '' : readText(before);
  const newText = after === null ? '' : readText(after);
  if (oldText === null || newText === null) return null;
  const [oldShown = '', newShown = ''] = hideSecrets([oldText, newText]);
  const name = describeFile(file);
  const patch = createTwoFilesPatch(
    before === null ? '/dev/null' : name,
    after === null ? '/dev/null' : name,
    oldShown,
    newShown,
    undefined,
    undefined,
    { context: 3, headerOptions: FILE_HEADERS_ONLY, maxEditLength: longestDiff },
  );
  return patch === undefined ? null : patch.replaceAll(marks, redacted);
}

const marks = /\uE000\d+\uE001/g;

/**
 * Secrets go before the texts are compared: a diff cuts keys in pieces that are not recognised any more. Different
 * secrets get different marks, so that a line whose secret changed shows as changed.
 */
function hideSecrets(texts: readonly string[]): string[] {
  const numbers = new Map<string, number>();
  return redactAll(texts, (secret) => {
    const number = numbers.get(secret) ?? numbers.size + 1;
    numbers.set(secret, number);
    return `\uE000${number}\uE001`;
  });
}

/** Null for what is no text. Control characters are made visible: a file must not steer the terminal that shows it. */
function readText(bytes: Buffer): string | null {
  if (bytes.includes(0)) return null;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.replace(/(?![\t\n]|\r\n)\p{Cc}/gu, (character) => {
      return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
    });
  } catch {
    return null;
  }
}
