import { cleanDeep, toSafeJson } from '../text/clean.ts';
import type { CommandHost, HostOptions } from './host.ts';
import { describeMessage } from './message-text.ts';

/** For programs: exactly one document on standard output; with --verbose the progress on standard error. */
export async function openDocumentHost(options: HostOptions): Promise<CommandHost> {
  const { stdout, stderr } = options.streams;
  const serialize = options.output === 'yaml' ? (await import('./yaml.ts')).serializeYaml : toSafeJson;
  return {
    tell: (message) => {
      const line = options.verbose ? describeMessage(cleanDeep(message)) : null;
      if (line !== null) stderr.write(`${line}\n`);
    },
    ask: () => Promise.resolve('unanswered'),
    present: (document) => stdout.write(`${serialize(document)}\n`),
    close: () => undefined,
  };
}
