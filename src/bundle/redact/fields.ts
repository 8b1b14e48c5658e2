import type { SecretKind, Take } from './kinds.ts';
import { harmless, kindOfName } from './names.ts';

interface Pass {
  readonly text: (text: string) => string;
  readonly take: Take | null;
}

/**
 * A plain value with its texts redacted, names of fields included. Of a field that names a secret every text below it
 * is taken whole; so are the value beside an environment variable's name, the argument after a flag, and the data of
 * a Secret.
 */
export function redactFields(value: unknown, pass: Pass): unknown {
  if (typeof value === 'string') return pass.text(value);
  if (Array.isArray(value)) return value.map((item, index) => redactItem(item, value[index - 1], pass));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value);
  const variable = pass.take === null ? null : kindOfVariable(value);
  const isSecret = 'kind' in value && value.kind === 'Secret';
  const shown = new Map<string, unknown>();
  for (const [name, item] of fields) {
    const kind =
      kindOfName(name) ??
      (name === 'value' ? variable : null) ??
      (isSecret && (name === 'data' || name === 'stringData') ? 'Kubernetes secret' : null);
    const redacted = kind === null || pass.take === null ? redactFields(item, pass) : takeAll(item, kind, pass);
    shown.set(findFreeName(pass.text(name), shown), redacted);
  }
  return Object.fromEntries(shown);
}

function redactItem(item: unknown, previous: unknown, pass: Pass): unknown {
  if (typeof item !== 'string' || typeof previous !== 'string' || !/^--?[A-Za-z][\w.-]*$/.test(previous)) {
    return redactFields(item, pass);
  }
  const kind = item.startsWith('-') ? null : kindOfName(previous);
  return kind === null ? redactFields(item, pass) : takeAll(item, kind, pass);
}

function takeAll(value: unknown, kind: SecretKind, pass: Pass): unknown {
  if (pass.take === null) return value;
  if (typeof value === 'string') return harmless.test(value) ? value : pass.take(kind, value);
  if (typeof value === 'number') return pass.take(kind, String(value));
  if (Array.isArray(value)) return value.map((item) => takeAll(item, kind, pass));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [pass.text(name), takeAll(item, kindOfName(name) ?? kind, pass)]),
  );
}

function kindOfVariable(value: object): SecretKind | null {
  return 'name' in value && 'value' in value && typeof value.name === 'string' ? kindOfName(value.name) : null;
}

/** Two names may have become one. */
function findFreeName(name: string, taken: ReadonlyMap<string, unknown>): string {
  let free = name;
  for (let number = 2; taken.has(free); number++) free = `${name} (${number})`;
  return free;
}
