import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { expect, test } from 'vitest';
import { single } from '../facts/testing/facts.ts';
import { openRuns } from './state.ts';
import { type DeathMode, type FakeWorld, makeFakeWorld } from './testing/fake-world.ts';
import { countEntries, crashHalfway, heal, listTemporaries, pictureFiles } from './testing/healing.ts';

/*
 * rekindle, or the machine under it, dies at any point of a heal: after each entry of the journal, and within and
 * after each call into a node. The next heal has to find its way from there.
 */

const patience = 240_000;

/** Numbers from one on, a few at a time: most of a heal is waiting for the disk. */
async function sideBySide(count: number, action: (number: number) => Promise<void>): Promise<void> {
  const limit = pLimit(8);
  await Promise.all(Array.from({ length: count }, (_, index) => limit(async () => await action(index + 1))));
}

async function crashed(): Promise<FakeWorld> {
  const fake = await makeFakeWorld(single);
  await crashHalfway(fake);
  return fake;
}

/** Files without what is another in each world: certificates and keys. */
function pictureWithoutCertificates(fake: FakeWorld): Record<string, string> {
  return Object.fromEntries(
    Object.entries(pictureFiles(fake))
      .filter(([name]) => !/\/pki\/.*\.(crt|key)$/.test(name))
      .map(([name, picture]) => [name, picture.replace(/-data: .*/g, '-data: …')]),
  );
}

async function expectRecovery(fake: FakeWorld, expected: Record<string, string>, when: string): Promise<void> {
  const outcome = await heal(fake);
  expect(outcome.diagnosis, when).toMatchObject({ verdict: 'healthy', findings: [], unknown: [] });
  expect(['healed', 'healthy'], when).toContain(outcome.verdict);
  expect(listTemporaries(fake), when).toEqual([]);
  expect(pictureWithoutCertificates(fake), when).toEqual(expected);
}

/** The same world for a rekindle that has so many entries left: then its engine is out of reach and its disk gone. */
function withEntries(fake: FakeWorld, entries: number): FakeWorld {
  const { surroundings } = fake.world;
  const { clock } = surroundings;
  const now = () => {
    if (countSync(fake) >= entries) {
      fake.die();
      throw new Error('killed');
    }
    return clock.now();
  };
  return { ...fake, world: { ...fake.world, surroundings: { ...surroundings, clock: { ...clock, now } } } };
}

function countSync(fake: FakeWorld): number {
  const runs = join(fake.dataFolder, 'rekindle', 'runs');
  try {
    const newest =
      readdirSync(runs)
        .toSorted((left, right) => left.localeCompare(right))
        .at(-1) ?? '';
    return readFileSync(join(runs, newest, 'journal.jsonl'), 'utf8').split('\n').length - 1;
  } catch {
    return 0;
  }
}

test(
  'killed after any entry of the journal, the next heal ends well',
  async () => {
    const whole = await crashed();
    expect((await heal(whole)).verdict).toBe('healed');
    const expected = pictureWithoutCertificates(whole);
    const total = await countEntries(whole);
    expect(total).toBeGreaterThan(25);
    for (let entries = 1; entries < total; entries++) {
      const fake = await crashed();
      await heal(withEntries(fake, entries)).catch((error: unknown) => expect(String(error)).toContain('killed'));
      expect(await countEntries(fake)).toBe(entries);
      fake.revive();
      expect(await openRuns(fake.world.surroundings).list()).toMatchObject([{ state: 'interrupted' }]);
      await expectRecovery(fake, expected, `after ${entries} of ${total} entries`);
    }
  },
  patience,
);

// Before a call is after the one before it.
test.each<DeathMode>(['midway', 'after'])(
  'the engine gone %s any call, the next heal ends well',
  async (mode) => {
    const whole = await crashed();
    await heal(whole);
    const expected = pictureWithoutCertificates(whole);
    const total = whole.execCount();
    expect(total).toBeGreaterThan(15);
    await sideBySide(total, async (exec) => {
      const fake = await crashed();
      fake.dieAt(exec, mode);
      const outcome = await heal(fake);
      // Nothing that could not be seen is claimed to be well.
      expect(['unknown', 'remaining'], `gone ${mode} call ${exec} of ${total}`).toContain(outcome.verdict);
      fake.revive();
      await expectRecovery(fake, expected, `gone ${mode} call ${exec} of ${total}`);
    });
  },
  patience,
);
