import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { renderMessages } from './messages.ts';
import { renderSchemas } from './schemas.ts';

const docs = new URL('../docs/', import.meta.url);

test('the published schemas are those of the code: `npm run docs` writes them', () => {
  const rendered = renderSchemas();
  expect(readdirSync(new URL('schema', docs)).toSorted()).toEqual([...rendered.keys()].toSorted());
  for (const [name, text] of rendered) expect(readFileSync(new URL(`schema/${name}`, docs), 'utf8')).toBe(text);
});

test('the page of messages is that of the code: `npm run docs` writes it', () => {
  expect(readFileSync(new URL('messages.md', docs), 'utf8')).toBe(renderMessages());
});
