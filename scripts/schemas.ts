import * as z from 'zod';
import { publishedSchemas } from '../src/cli/documents.ts';

/** The files of docs/schema by name, as JSON Schema (draft 2020-12). */
export function renderSchemas(): Map<string, string> {
  return new Map(
    Object.entries(publishedSchemas).map(([name, schema]) => [
      `${name}.json`,
      `${JSON.stringify(z.toJSONSchema(schema), null, 2)}\n`,
    ]),
  );
}
