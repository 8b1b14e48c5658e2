import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { renderMessages } from './messages.ts';
import { renderSchemas } from './schemas.ts';

/** Writes the pages and schemas that follow from the code. */
const docs = fileURLToPath(new URL('../docs/', import.meta.url));
await mkdir(`${docs}schema`, { recursive: true });
for (const [name, text] of renderSchemas()) await writeFile(`${docs}schema/${name}`, text);
await writeFile(`${docs}messages.md`, renderMessages());
