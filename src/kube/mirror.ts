import { type KubeApi, KubeError, type KubeRequestOptions } from './port.ts';

interface ListedObject {
  readonly metadata: { readonly name: string; readonly uid?: string };
}

/**
 * Follows a collection by list and watch until `isReached` says yes of the objects by name. `onChange` is told of
 * every state on the way. Lists again where the watch ends early; rejects with the signal's reason on abort, or with
 * the KubeError that a list met twice in a row.
 */
export async function followUntil<T extends ListedObject>(
  kube: KubeApi,
  path: string,
  options: KubeRequestOptions & { readonly signal: AbortSignal; readonly pause: () => Promise<void> },
  isReached: (objects: ReadonlyMap<string, T>) => boolean,
): Promise<void> {
  for (let failures = 0; ; ) {
    options.signal.throwIfAborted();
    try {
      const list = (await kube.get(path, options)) as {
        readonly metadata?: { readonly resourceVersion?: string };
        readonly items?: readonly T[];
      };
      failures = 0;
      const objects = new Map((list.items ?? []).map((object) => [object.metadata.name, object]));
      if (isReached(objects)) return;
      const closing = new AbortController();
      try {
        for await (const { type, object } of kube.watch(path, {
          resourceVersion: list.metadata?.resourceVersion ?? '',
          signal: AbortSignal.any([options.signal, closing.signal]),
        })) {
          if (type === 'ERROR') break;
          if (type === 'BOOKMARK') continue;
          const changed = object as T;
          if (type === 'DELETED') objects.delete(changed.metadata.name);
          else objects.set(changed.metadata.name, changed);
          if (isReached(objects)) return;
        }
      } finally {
        closing.abort();
      }
    } catch (error) {
      options.signal.throwIfAborted();
      // An API server that is being restarted refuses for a moment; anything else is an answer.
      if (
        !(error instanceof KubeError) ||
        (error.kind !== 'unreachable' && error.kind !== 'timeout') ||
        ++failures > 60
      )
        throw error;
    }
    await options.pause();
  }
}
