import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { diagnose } from '../engine/diagnose.ts';
import * as schema from '../facts/facts.ts';
import { checks } from './index.ts';
import { scenarios } from './fixtures/scenarios.ts';

const sections = ['What it means', 'How it is established', 'What heal does', 'By hand'];

/** The recorded facts stand in the repository; `vitest -u` writes those of a changed scenario anew. */
function pathOf(id: string, kind: 'failing' | 'passing'): string {
  return new URL(`fixtures/${id}/${kind}.json`, import.meta.url).pathname;
}

async function readFixture(id: string, kind: 'failing' | 'passing') {
  return schema.facts.parse(JSON.parse(await readFile(pathOf(id, kind), 'utf8')));
}

test('every check has scenarios, and every scenario a check', () => {
  expect(Object.keys(scenarios).sort()).toEqual(checks.map(({ id }) => id).sort());
});

describe.each(checks.map(({ id }) => id))('%s', (id) => {
  test.each(['failing', 'passing'] as const)('the %s fixture is the scenario, as it was recorded', async (kind) => {
    const facts = scenarios[id]?.[kind];
    await expect(`${JSON.stringify(facts, undefined, 1)}\n`).toMatchFileSnapshot(pathOf(id, kind));
  });

  test('the failing fixture has the finding, with what was seen', async () => {
    const { findings, verdict } = diagnose(await readFixture(id, 'failing'));
    const found = findings.filter((finding) => finding.id === id);
    expect(found.length).toBeGreaterThan(0);
    const told = found.map(({ summary, evidence }) => [summary, ...evidence].join('\n')).join('\n');
    for (const text of scenarios[id]?.tells ?? []) expect(told).toContain(text);
    expect(verdict).not.toBe('healthy');
  });

  test('the passing fixture does not', async () => {
    const { findings, unknown } = diagnose(await readFixture(id, 'passing'));
    expect(findings.map((finding) => finding.id)).not.toContain(id);
    // A check that could not judge would pass any fixture.
    expect(unknown.map(({ check }) => check)).not.toContain(id);
  });

  test('has a page with the sections that `explain` shows', async () => {
    const path = new URL(`../../docs/findings/${id}.md`, import.meta.url);
    expect(existsSync(path), `docs/findings/${id}.md is there`).toBe(true);
    const headings = (await readFile(path, 'utf8')).split('\n').filter((line) => line.startsWith('## '));
    for (const section of sections) expect(headings).toContain(`## ${section}`);
  });
});
