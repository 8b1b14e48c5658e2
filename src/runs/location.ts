import { posix, win32 } from 'node:path';

export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly home: string;
}

/**
 * The folder that holds runs and locks: `$XDG_DATA_HOME/rekindle`, else where the platform keeps a program's data.
 * The folders are those of env-paths 4.0.0, which cannot be asked itself: it takes environment, home and platform
 * from the process when it is imported. A relative XDG_DATA_HOME is ignored, as the XDG specification demands.
 */
export function stateDirectory({ environment, platform, home }: Surroundings): string {
  if (platform === 'win32') {
    return win32.join(environment['LOCALAPPDATA'] || win32.join(home, 'AppData', 'Local'), 'rekindle', 'Data');
  }
  const chosen = environment['XDG_DATA_HOME'] ?? '';
  if (posix.isAbsolute(chosen)) return posix.join(chosen, 'rekindle');
  if (platform === 'darwin') return posix.join(home, 'Library', 'Application Support', 'rekindle');
  return posix.join(home, '.local', 'share', 'rekindle');
}
