import type { ResultDocument } from '../documents.ts';
import { describeDocument } from '../render/document.ts';
import { type Look, makePalette, readWidth, wantsColor } from '../render/look.ts';
import type { OutputStream } from '../streams.ts';
import { cleanDeep } from '../text/clean.ts';
import type { HostOptions } from './host.ts';

/** A result for people, to standard output. */
export function presentTable(document: ResultDocument, options: HostOptions): void {
  const { stdout } = options.streams;
  const lines = describeDocument(cleanDeep(document), makeLook(stdout, options));
  stdout.write(`${lines.join('\n')}\n`);
}

export function makeLook(stream: OutputStream, options: HostOptions): Look {
  return {
    palette: makePalette(wantsColor(stream, options.surroundings.environment, options.color)),
    width: readWidth(stream),
    verbose: options.verbose,
    program: options.program,
  };
}
