import { StringDecoder } from 'node:string_decoder';
import { KubeError, type WatchEvent } from './port.ts';

const EVENT_TYPES: ReadonlySet<unknown> = new Set(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR']);

/**
 * Takes the pieces of a watch as they come and gives the events completed by each: newline-delimited JSON, cut
 * anywhere, in the middle of a character too. A last line that was never finished is dropped; the object is read again
 * by the list that follows a watch.
 */
export function makeEventReader(): (chunk: Buffer) => WatchEvent[] {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  return (chunk) => {
    const lines = (rest + decoder.write(chunk)).split('\n');
    rest = lines.pop() ?? '';
    return lines.filter((line) => line.trim() !== '').map(parseEvent);
  };
}

function parseEvent(line: string): WatchEvent {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw new KubeError('failed', 'The watch sent a line that is no JSON. Start it again.', { cause: error });
  }
  if (!isEvent(value)) throw new KubeError('failed', 'The watch sent something that is no event. Start it again.');
  return value;
}

function isEvent(value: unknown): value is WatchEvent {
  return (
    typeof value === 'object' && value !== null && 'object' in value && 'type' in value && EVENT_TYPES.has(value.type)
  );
}
