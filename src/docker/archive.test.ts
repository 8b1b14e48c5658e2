import { Readable } from 'node:stream';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readArchive, writeArchive } from './archive.ts';
import type { ArchiveFile } from './port.ts';

function read(bytes: Buffer) {
  const quiet = { signal: new AbortController().signal, onProgress: () => {} };
  return readArchive(Readable.from([bytes]), quiet);
}

const name = fc.stringMatching(/^[a-zA-Z0-9._ äπ-]{1,120}$/).filter((one) => one !== '.' && one !== '..');

const files = fc.array(
  fc.record({
    path: fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/')),
    type: fc.constantFrom('file', 'directory', 'symlink'),
    mode: fc.nat(0o7777),
    uid: fc.nat(70_000),
    gid: fc.nat(70_000),
    contents: fc.uint8Array({ maxLength: 1500 }),
  }),
  { maxLength: 5 },
);

function tidy(file: Omit<ArchiveFile, 'contents' | 'type'> & { type: string; contents: Uint8Array }): ArchiveFile {
  const type = file.type as ArchiveFile['type'];
  const target = `../${file.path}`;
  const contents = { file: file.contents, directory: '', symlink: target, other: '' }[type];
  return { ...file, type, contents: Buffer.from(contents) };
}

describe('archives', () => {
  it('come back as they were written', async () => {
    await fc.assert(
      fc.asyncProperty(files, async (list) => {
        const wanted = list.map(tidy);
        expect(await read(await writeArchive(wanted))).toEqual(wanted);
      }),
      { numRuns: 50 },
    );
  });

  it('refuse what tar cannot make here', async () => {
    const device = { path: 'null', type: 'other', mode: 0o666, uid: 0, gid: 0, contents: Buffer.alloc(0) } as const;
    await expect(writeArchive([device])).rejects.toThrow(/null is neither/);
  });

  it('are refused when they are cut off', async () => {
    const whole = await writeArchive([
      { path: 'a', type: 'file', mode: 0o600, uid: 0, gid: 0, contents: Buffer.alloc(5000, 'a') },
    ]);
    await expect(read(whole.subarray(0, 2000))).rejects.toThrow();
  });
});
