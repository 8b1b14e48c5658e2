/** JSON values of unknown shape, read without trusting them. */

export type JsonRecord = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at the end of the path; undefined where something on the way is missing. */
export function dig(value: unknown, ...path: readonly string[]): unknown {
  let current = value;
  for (const part of path) {
    if (!isRecord(current)) return undefined;
    current = current[part];
  }
  return current;
}

export function digText(value: unknown, ...path: readonly string[]): string {
  const found = dig(value, ...path);
  return typeof found === 'string' ? found : '';
}

/** 0 where there is none, as Go's zero value. */
export function digNumber(value: unknown, ...path: readonly string[]): number {
  const found = dig(value, ...path);
  return typeof found === 'number' ? found : 0;
}

export function digList(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = dig(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** Equal as JSON: the order of keys, and keys without a value, do not matter. */
export function isEqualJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
    return left.every((value, index) => isEqualJson(value, right[index]));
  }
  if (!isRecord(left) || !isRecord(right)) return false;
  const keys = Object.keys(left).filter((key) => left[key] !== undefined);
  const others = Object.keys(right).filter((key) => right[key] !== undefined);
  return keys.length === others.length && keys.every((key) => isEqualJson(left[key], right[key]));
}

/** Makes deeply frozen copies. What it has made before is shared and not copied again. */
export function createFreezer(): <T>(value: T) => T {
  const frozen = new WeakSet<object>();
  function freeze(value: unknown): unknown {
    if (typeof value !== 'object' || value === null || frozen.has(value)) return value;
    const copy = Array.isArray(value) ? value.map(freeze) : copyRecord(value);
    frozen.add(Object.freeze(copy));
    return copy;
  }
  function copyRecord(value: object): object {
    const copy: Record<string, unknown> = {};
    for (const [key, inner] of Object.entries(value)) if (inner !== undefined) copy[key] = freeze(inner);
    return copy;
  }
  return <T>(value: T) => freeze(value) as T;
}
