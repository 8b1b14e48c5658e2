/** Watches: what has changed since a revision, and what changes from now on. */

import type { KubeObject, StoreEvent } from '../contracts.ts';
import { ApiFailure, makeStatus, type WatchAnswer, type WatchSink } from './answers.ts';
import { keyOf, readRevision } from './reads.ts';
import type { ObjectRequest } from './request.ts';
import { nameGroupVersion } from './resources.ts';
import { parseSelectors } from './selectors.ts';
import type { StoredEvent } from './store.ts';

/** As the real server's: about once a minute. */
const BOOKMARK_MS = 60_000;
/** Between 30 and 60 minutes in the real server. */
const DEFAULT_TIMEOUT_SECONDS = 2700;

/** Throws an ApiFailure for parameters that cannot be read; a revision that is forgotten is told by the watch itself. */
export function watchObjects(request: ObjectRequest, render: (object: KubeObject) => unknown): WatchAnswer {
  const { query, server, stored, namespace, name } = request;
  const { clock } = request.surroundings;
  const selector = parseSelectors(request.resource, query);
  const version = query.get('resourceVersion') ?? '';
  const since = version === '' || version === '0' ? undefined : readRevision(version);
  const wantsBookmarks = query.get('allowWatchBookmarks') === 'true' || query.get('allowWatchBookmarks') === '1';
  const wantsAll = query.get('sendInitialEvents') === 'true';
  const timeoutSeconds = Number(query.get('timeoutSeconds') ?? '0') || DEFAULT_TIMEOUT_SECONDS;

  const matches = (object: KubeObject) =>
    (namespace === undefined || object.metadata.namespace === namespace) &&
    (name === undefined || object.metadata.name === name) &&
    (selector === undefined || selector(object));

  return { kind: 'watch', status: 200, contentType: 'application/json', open };

  function open(sink: WatchSink): () => void {
    const cancels: (() => void)[] = [];
    let isOpen = true;
    const close = () => {
      isOpen = false;
      for (const cancel of cancels.splice(0)) cancel();
    };
    const end = () => {
      close();
      sink.end();
    };
    const send = (type: string, object: unknown) => {
      if (isOpen) sink.write(`${JSON.stringify({ type, object })}\n`);
    };
    const follow = makeFollower(matches, (type, object) => send(type, render(object)));
    try {
      let from = since ?? server.store.revision;
      if (since === undefined || wantsAll) {
        from = server.store.revision;
        for (const object of server.store.list(stored, namespace)) {
          if (matches(object)) send('ADDED', render(object));
        }
        if (wantsAll && wantsBookmarks) {
          send('BOOKMARK', makeBookmark(request, { 'k8s.io/initial-events-end': 'true' }));
        }
      }
      cancels.push(server.store.watch(stored, from, follow));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      send('ERROR', makeStatus(new ApiFailure(410, 'Expired', `too old resource version: ${version}`)));
      end();
      return close;
    }
    cancels.push(clock.schedule(timeoutSeconds * 1000, end));
    if (wantsBookmarks) scheduleBookmark();
    return close;

    function scheduleBookmark(): void {
      const cancel = clock.schedule(BOOKMARK_MS, () => {
        cancels.splice(cancels.indexOf(cancel), 1);
        send('BOOKMARK', makeBookmark(request));
        scheduleBookmark();
      });
      cancels.push(cancel);
    }
  }
}

/** An object that is selected no longer is told of as deleted, one that is selected now as added. */
function makeFollower(
  matches: (object: KubeObject) => boolean,
  tell: (type: StoreEvent['type'], object: KubeObject) => void,
): (event: StoreEvent) => void {
  /** For a store that does not say what an object was before. */
  const seen = new Set<string>();
  return (event) => {
    const { type, object } = event;
    const key = keyOf(object);
    const did = 'previous' in event ? hasMatched((event as StoredEvent).previous) : seen.has(key);
    const does = type !== 'DELETED' && matches(object);
    if (does) seen.add(key);
    else seen.delete(key);
    if (does) tell(did ? 'MODIFIED' : 'ADDED', object);
    else if (did) tell('DELETED', object);
  };

  function hasMatched(previous: KubeObject | undefined): boolean {
    return previous !== undefined && matches(previous);
  }
}

function makeBookmark(request: ObjectRequest, annotations?: Readonly<Record<string, string>>): unknown {
  return {
    kind: request.resource.kind,
    apiVersion: nameGroupVersion(request.resource),
    metadata: {
      resourceVersion: String(request.server.store.revision),
      creationTimestamp: null,
      ...(annotations === undefined ? {} : { annotations }),
    },
  };
}
