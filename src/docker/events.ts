import type { EngineEvent } from './port.ts';

/**
 * Reads the engine's event stream: one JSON document a line. Events about execs are left out: every health check
 * makes three of them, and their action carries the whole command line.
 */
export async function* readEvents(source: AsyncIterable<Buffer | string>): AsyncGenerator<EngineEvent> {
  for await (const line of readLines(source)) {
    const event = describeEvent(JSON.parse(line));
    if (!event.action.startsWith('exec_')) {
      yield event;
    }
  }
}

async function* readLines(source: AsyncIterable<Buffer | string>): AsyncGenerator<string> {
  // One decoder for all pieces: a character may be split between two.
  const decoder = new TextDecoder();
  let pending = '';
  for await (const piece of source) {
    pending += typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true });
    const lines = pending.split('\n');
    pending = lines.pop() ?? '';
    yield* lines.filter((line) => line.trim() !== '');
  }
  if (pending.trim() !== '') {
    yield pending;
  }
}

/** The fields of Docker's event message that we use; all of them may be missing. */
interface EventMessage {
  readonly Type?: string;
  readonly Action?: string;
  readonly Actor?: { readonly ID?: string; readonly Attributes?: Record<string, string> };
  readonly time?: number;
  readonly timeNano?: number;
}

function describeEvent(message: EventMessage): EngineEvent {
  return {
    type: message.Type ?? '',
    action: message.Action ?? '',
    actor: message.Actor?.ID ?? '',
    attributes: message.Actor?.Attributes ?? {},
    time: message.timeNano ? Math.floor(message.timeNano / 1e6) : (message.time ?? 0) * 1000,
  };
}
