import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { mutations } from './mutations.ts';

test.each(mutations)('$name: its text stands in $file exactly once', async ({ file, from, to }) => {
  const text = await readFile(new URL(`../../${file}`, import.meta.url), 'utf8');
  expect(text.split(from)).toHaveLength(2);
  expect(to).not.toBe(from);
});
