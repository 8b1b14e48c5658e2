import { delimiter, join } from 'node:path';

export interface KubeconfigSearch {
  /** The value of `--kubeconfig`. */
  readonly flag?: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The user's home folder. */
  readonly home: string;
  exists(path: string): boolean | Promise<boolean>;
}

/**
 * Which file kind would write to (kind's pkg/cluster/internal/kubeconfig: paths.go): the flag; else the first file of
 * $KUBECONFIG that exists, or its last one where none does; else ~/.kube/config.
 */
export async function locateKubeconfig(search: KubeconfigSearch): Promise<string> {
  if (search.flag !== undefined && search.flag !== '') return search.flag;
  const listed = (search.environment['KUBECONFIG'] ?? '').split(delimiter).filter((path) => path !== '');
  for (const path of listed) {
    if (await search.exists(path)) return path;
  }
  return listed.at(-1) ?? join(search.home, '.kube', 'config');
}
