import { Readable } from 'node:stream';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readEvents } from './events.ts';
import type { EngineEvent } from './port.ts';

async function collect(chunks: readonly Buffer[]): Promise<EngineEvent[]> {
  const events: EngineEvent[] = [];
  for await (const event of readEvents(Readable.from(chunks))) {
    events.push(event);
  }
  return events;
}

const STREAM = Buffer.from(
  [
    '{"Type":"container","Action":"die","Actor":{"ID":"c1","Attributes":{"name":"köln-é"}},"timeNano":1700000000123456789}',
    '{"Type":"container","Action":"exec_create: cat /secret","Actor":{"ID":"c1"},"time":5}',
    '{"Type":"network","Action":"connect","Actor":{"ID":"n1","Attributes":{}},"time":1700000001}',
    '',
  ].join('\n'),
);

const EVENTS: EngineEvent[] = [
  { type: 'container', action: 'die', actor: 'c1', attributes: { name: 'köln-é' }, time: 1_700_000_000_123 },
  { type: 'network', action: 'connect', actor: 'n1', attributes: {}, time: 1_700_000_001_000 },
];

describe('readEvents', () => {
  it('reads lines wherever the chunks are cut, and leaves execs out', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(STREAM.length), fc.nat(STREAM.length), async (one, other) => {
        const [first, second] = [Math.min(one, other), Math.max(one, other)];
        const chunks = [STREAM.subarray(0, first), STREAM.subarray(first, second), STREAM.subarray(second)];
        expect(await collect(chunks)).toEqual(EVENTS);
      }),
    );
  });

  it('takes a last line without an end', async () => {
    expect(await collect([Buffer.from('{"Type":"daemon","Action":"reload"}')])).toEqual([
      { type: 'daemon', action: 'reload', actor: '', attributes: {}, time: 0 },
    ]);
  });
});
