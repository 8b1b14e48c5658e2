import { isCapableTerminal } from '../render/look.ts';
import type { CommandHost, HostOptions } from './host.ts';
import { openDocumentHost } from './json.ts';
import { openPlainHost } from './plain.ts';
import { openTerminalHost } from './terminal.ts';

export async function openHost(options: HostOptions): Promise<CommandHost> {
  if (options.output !== 'table') return openDocumentHost(options);
  if (isCapableTerminal(options.streams.stderr, options.surroundings.environment)) {
    return openTerminalHost(options);
  }
  return openPlainHost(options);
}
