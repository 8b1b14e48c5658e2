import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { pack } from 'tar-stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it, test } from 'vitest';
import { makeFacts, withWorkers } from '../facts/testing/facts.ts';
import { packBundle } from './pack.ts';
import { BundleError, readRecording } from './read.ts';

const facts = makeFacts(withWorkers);
const manifest = JSON.stringify({ format: 'rekindle.bundle/v1' });

async function makeTar(
  files: Readonly<Record<string, string>> | readonly (readonly [string, string])[],
): Promise<Buffer> {
  const archive = pack();
  const bytes = buffer(archive);
  for (const [name, text] of Array.isArray(files) ? files : Object.entries(files)) archive.entry({ name }, text);
  archive.finalize();
  return await bytes;
}

async function makeWhole(): Promise<Buffer> {
  const { contents } = await packBundle({
    madeAt: new Date('2026-05-04T09:15:00Z'),
    version: '1.2.3',
    hostPlatform: 'linux',
    cluster: facts.cluster,
    files: [
      { path: ['logs', 'a', 'facts.json'], what: 'another one', contents: { text: '{}' } },
      { path: ['facts.json'], what: 'what was observed', contents: { json: facts } },
    ],
    missing: [],
  });
  return contents;
}

async function failureOf(bytes: Buffer, limit?: number): Promise<string> {
  const error: unknown = await readRecording(bytes, limit).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof BundleError)) throw error;
  return error.message;
}

describe('facts are read', () => {
  it('from a bundle', async () => expect(await readRecording(await makeWhole())).toEqual(facts));
  it('from a file of them', async () => expect(await readRecording(Buffer.from(JSON.stringify(facts)))).toEqual(facts));
  it('from such a file, gzipped', async () =>
    expect(await readRecording(gzipSync(JSON.stringify(facts)))).toEqual(facts));
  it('from a file that an editor on Windows has saved', async () => {
    const text = `\uFEFF${JSON.stringify(facts, null, 2).replaceAll('\n', '\r\n')}`;
    expect(await readRecording(Buffer.from(text))).toEqual(facts);
  });
  it('from a bundle that somebody unpacked and packed again', async () => {
    const tar = await makeTar({ './x/manifest.json': manifest, './x/facts.json': JSON.stringify(facts) });
    expect(await readRecording(tar)).toEqual(facts);
  });
});

describe('a bad file is told from a good one, with the place', () => {
  test('cut short', async () =>
    expect(await failureOf((await makeWhole()).subarray(0, 500))).toContain('ends too early'));
  test('damaged', async () => {
    const bytes = await makeWhole();
    expect(
      await failureOf(Buffer.concat([bytes.subarray(0, 40), Buffer.alloc(200, 7), bytes.subarray(240)])),
    ).toContain('is a damaged gzip file');
  });
  test('a tar that was cut short', async () => {
    const tar = await makeTar({ 'x/manifest.json': manifest, 'x/facts.json': JSON.stringify(facts) });
    expect(await failureOf(tar.subarray(0, 2000))).toContain('is a damaged tar archive');
  });
  test('larger than a bundle can be', async () => {
    expect(await failureOf(gzipSync(Buffer.alloc(5_000_000)), 1_048_576)).toBe(
      'is larger than 1 MB unpacked; no bundle is',
    );
  });
  test.each<[string, Readonly<Record<string, string>>, string]>([
    ['another archive', { 'a/b.txt': 'x' }, 'is no bundle: there is no manifest.json in it'],
    ['no facts', { 'a/manifest.json': manifest }, 'is no bundle: there is no facts.json in it'],
    ['a later format', { 'a/manifest.json': '{"format":"rekindle.bundle/v2"}' }, 'has the format "rekindle.bundle/v2"'],
    ['a manifest that is none', { 'a/manifest.json': '{' }, 'manifest.json in it is not JSON'],
    ['facts that are no JSON', { 'a/manifest.json': manifest, 'a/facts.json': '{' }, 'facts.json in it is not JSON'],
    [
      'facts that do not fit',
      {
        'a/manifest.json': manifest,
        'a/facts.json': JSON.stringify({ ...facts, containers: { ok: true, value: [{}] } }),
      },
      'facts.json in it holds no facts: containers.value[0].name',
    ],
    [
      'facts out of reach',
      { 'a/manifest.json': manifest, '../../etc/facts.json': '{}' },
      'there is no facts.json in it',
    ],
  ])('%s', async (_what, files, message) => expect(await failureOf(gzipSync(await makeTar(files)))).toContain(message));
  test.each([
    ['{"format":"rekindle.facts/v2"}', 'it has the format "rekindle.facts/v2"'],
    ['{"format":"rekindle.doctor/v1","clusters":[]}', 'it has the format "rekindle.doctor/v1"'],
    [JSON.stringify({ format: 'x'.repeat(10_000) }), 'xxx…'],
    ['{"cluster":"a"}', 'holds no facts: format: '],
    ['null', 'holds no facts: the file: '],
  ])('%.60s', async (text, message) => {
    const told = await failureOf(Buffer.from(text));
    expect(told).toContain(message);
    expect(told.length).toBeLessThan(400);
  });
  test('wherever it was cut off', async () => {
    const tar = await makeTar({ 'x/manifest.json': manifest, 'x/facts.json': JSON.stringify(facts) });
    const last = tar.lastIndexOf('}');
    for (const whole of [gzipSync(tar), tar.subarray(0, last), Buffer.from(JSON.stringify(facts))]) {
      await fc.assert(
        fc.asyncProperty(fc.nat(whole.length - 1), async (length) => {
          expect(await failureOf(whole.subarray(0, length))).not.toBe('');
        }),
        { numRuns: 300 },
      );
    }
  });
  test('facts twice', async () => {
    const tar = await makeTar([
      ['a/manifest.json', manifest],
      ['a/facts.json', '{}'],
      ['facts.json', JSON.stringify(facts)],
    ]);
    expect(await failureOf(tar)).toBe('holds facts.json twice');
  });
});
