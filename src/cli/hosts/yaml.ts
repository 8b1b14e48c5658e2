import { stringify } from 'yaml';
import { cleanDeep } from '../text/clean.ts';

/** A document as YAML; a module of its own, so that only those who ask for YAML load the library. */
export function serializeYaml(value: unknown): string {
  return stringify(cleanDeep(value), { indentSeq: false, lineWidth: 0 }).trimEnd();
}
