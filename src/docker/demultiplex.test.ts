import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDemultiplexer } from './demultiplex.ts';
import { frame } from './testing/fake-engine.ts';

function demultiplex(chunks: readonly Buffer[]) {
  const pieces: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] };
  const demultiplexer = createDemultiplexer({
    stdout: (piece) => pieces.stdout.push(piece),
    stderr: (piece) => pieces.stderr.push(piece),
  });
  for (const chunk of chunks) {
    demultiplexer.push(chunk);
  }
  demultiplexer.end();
  return { stdout: Buffer.concat(pieces.stdout), stderr: Buffer.concat(pieces.stderr) };
}

function split(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((one, other) => one - other);
  return places.slice(1).map((place, index) => bytes.subarray(places[index], place));
}

const frames = fc.array(fc.record({ stream: fc.constantFrom(1, 2), bytes: fc.uint8Array({ maxLength: 20 }) }), {
  maxLength: 8,
});

function joinStream(list: readonly { stream: number; bytes: Uint8Array }[], stream: number): Buffer {
  return Buffer.concat(list.filter((one) => one.stream === stream).map((one) => one.bytes));
}

describe('createDemultiplexer', () => {
  it('gives both streams back whatever the boundaries of the chunks', () => {
    fc.assert(
      fc.property(frames, fc.array(fc.nat(), { maxLength: 12 }), (list, cuts) => {
        const bytes = Buffer.concat(list.map((one) => frame(one.stream, Buffer.from(one.bytes))));
        expect(demultiplex(split(bytes, cuts))).toEqual({ stdout: joinStream(list, 1), stderr: joinStream(list, 2) });
      }),
    );
  });

  it('takes a stream that comes byte by byte', () => {
    const bytes = Buffer.concat([frame(1, 'out'), frame(2, ''), frame(2, 'err'), frame(1, 'more')]);
    const single = [...bytes].map((byte) => Buffer.from([byte]));
    expect(demultiplex(single)).toEqual({ stdout: Buffer.from('outmore'), stderr: Buffer.from('err') });
  });

  it('takes a chunk of very many small frames', () => {
    const bytes = Buffer.concat(Array.from({ length: 50_000 }, () => frame(1, 'x')));
    expect(demultiplex([bytes]).stdout.length).toBe(50_000);
  });

  it('calls every stream that ends inside a frame cut off', () => {
    const bytes = frame(1, 'abc');
    for (let length = 1; length < bytes.length; length += 1) {
      expect(() => demultiplex([bytes.subarray(0, length)])).toThrow(/cut off/);
    }
  });

  it('refuses bytes that are no frames', () => {
    expect(() => demultiplex([Buffer.from('plain text of a terminal')])).toThrow(/not in its own framing/);
  });

  it("throws the engine's own words", () => {
    expect(() => demultiplex([frame(1, 'x'), frame(3, 'disk is full\n')])).toThrow('disk is full');
  });
});
