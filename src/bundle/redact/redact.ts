import { replaceAssignments } from './assignments.ts';
import { type Look, replaceEncoded } from './encoded.ts';
import { type SecretKind, secretKinds, type Take } from './kinds.ts';
import { collectSecrets, type KnownSecrets } from './known.ts';
import { replaceShapes } from './shapes.ts';
import { redactFields } from './fields.ts';
import { replaceUrlEncoded } from './url-encoded.ts';

/** A file of a bundle: text as it is, or a value that becomes JSON; lists in `lines` become one JSON text a line. */
export type FileContents =
  | { readonly text: string }
  | { readonly json: unknown }
  | { readonly lines: readonly unknown[] };

export interface RedactedFile<Contents> {
  readonly contents: Contents;
  /** How many secrets of each kind were taken out. */
  readonly removed: ReadonlyMap<SecretKind, number>;
}

/**
 * Takes the secrets out of files that belong together; see docs/bundles.md for what counts as one. What one of them
 * gives away as a secret is hidden in all of them, plain and in base64. `isOpen` tells words that a diagnosis needs:
 * these are hidden where they stand as a secret, and not elsewhere.
 */
export function redactFiles<Contents extends FileContents>(
  files: readonly Contents[],
  isOpen: (word: string) => boolean,
): RedactedFile<Contents>[] {
  const known = collectSecrets(isOpen);
  const shown = files.map((file) => mapFile(file, { text: (text) => hideFound(text, known), take: takeInto(known) }));
  // Every secret is known now; what is left are the places where one stands without a name or a shape.
  return shown.map((file) => {
    const removed = new Map<SecretKind, number>();
    const finish = (text: string): string => expandMarks(hideKnown(text, known), removed);
    return { contents: mapFile(file, { text: finish, take: null }), removed };
  });
}

interface Pass {
  readonly text: (text: string) => string;
  /** For the values of fields that name a secret; null where they have been taken. */
  readonly take: Take | null;
}

function mapFile<Contents extends FileContents>(file: Contents, pass: Pass): Contents {
  if ('text' in file) return { ...file, text: pass.text(file.text) };
  if ('json' in file) return { ...file, json: redactFields(file.json, pass) };
  return { ...file, lines: file.lines.map((line) => redactFields(line, pass)) };
}

/** Marks stand for what was taken until all is done, so that no later pattern reads a placeholder. */
const marks = /\uE000(\d+)\uE001/g;
const strayMarks = /[\uE000\uE001]/g;

function mark(kind: SecretKind): string {
  return `\uE000${secretKinds.indexOf(kind)}\uE001`;
}

function expandMarks(text: string, removed: Map<SecretKind, number>): string {
  return text.replace(marks, (_, index: string) => {
    const kind = secretKinds[Number(index)] ?? 'secret';
    removed.set(kind, (removed.get(kind) ?? 0) + 1);
    return `[removed: ${kind}]`;
  });
}

function takeInto(known: KnownSecrets): Take {
  return (kind, secret) => {
    const told = tellKind(kind, secret);
    known.add(told, secret);
    return mark(told);
  };
}

/** A name says `token`; the token itself may say whose. */
function tellKind(kind: SecretKind, secret: string): SecretKind {
  if (kind !== 'token' && kind !== 'secret' && kind !== 'password') return kind;
  let shape: SecretKind | undefined;
  replaceShapes(secret, (found) => {
    shape ??= found;
    return '';
  });
  return shape ?? kind;
}

function hideFound(raw: string, known: KnownSecrets): string {
  const text = raw.replace(strayMarks, '?');
  const take = takeInto(known);
  const look: Look = (stretch) =>
    findFirst((note) => {
      const noteWell: Take = (kind, secret) => {
        const told = tellKind(kind, secret);
        known.add(told, secret);
        return note(told, secret);
      };
      replaceShapes(replaceAssignments(stretch, noteWell), noteWell);
    });
  // Base64 may hold what is escaped for a URL, and the other way round.
  const lookEscaped: Look = (stretch) => look(stretch) ?? findFirst((note) => replaceUrlEncoded(stretch, look, note));
  const lookEncoded: Look = (stretch) => look(stretch) ?? findFirst((note) => replaceEncoded(stretch, look, note));
  const takeRun: Take = (kind, run) => {
    known.add(kind, run);
    return mark(kind);
  };
  // Escapes come first: what is taken out of their midst would leave halves behind.
  const unescaped = replaceUrlEncoded(text, lookEncoded, takeRun);
  const plain = replaceShapes(replaceAssignments(unescaped, take), take);
  return replaceEncoded(plain, lookEscaped, takeRun);
}

function findFirst(search: (note: Take) => void): SecretKind | null {
  let found: SecretKind | null = null;
  search((kind) => {
    found ??= kind;
    return '';
  });
  return found;
}

function hideKnown(text: string, known: KnownSecrets): string {
  return replaceEncoded(known.replace(text, mark), (stretch) => known.findIn(stretch), mark);
}
