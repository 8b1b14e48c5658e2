import { isCapableTerminal } from '../render/look.ts';
import type { CommandHost, HostOptions } from './host.ts';

export async function openHost(options: HostOptions): Promise<CommandHost> {
  if (options.output !== 'table') {
    const { openDocumentHost } = await import('./json.ts');
    return openDocumentHost(options);
  }
  if (isCapableTerminal(options.streams.stderr, options.surroundings.environment)) {
    const { openTerminalHost } = await import('./terminal.ts');
    return openTerminalHost(options);
  }
  const { openPlainHost } = await import('./plain.ts');
  return openPlainHost(options);
}
