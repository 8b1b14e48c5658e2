/** Lists in pages: the same for both ways to the API server. */

import { isCollectionPath, readQuery, withQuery } from './paths.ts';
import { KubeError } from './port.ts';

export const PAGE_SIZE = 500;

interface ListPage {
  readonly metadata?: { readonly continue?: string; readonly remainingItemCount?: number };
  readonly items?: readonly unknown[];
}

/**
 * Fetches a path with `fetchOne`; a collection comes page by page and is joined into one list object. A path that sets
 * its own `limit` is fetched as it stands. Where the snapshot behind the pages expires on the way (410), the whole list
 * is fetched at once, as client-go does: pages of two snapshots would not make one list.
 */
export async function fetchInPages(path: string, fetchOne: (path: string) => Promise<unknown>): Promise<unknown> {
  if (!isCollectionPath(path) || readQuery(path, 'limit') !== undefined) return fetchOne(path);
  const first = await fetchOne(withQuery(path, { limit: String(PAGE_SIZE) }));
  if (!isListPage(first)) return first;
  try {
    return await joinPages(path, first, fetchOne);
  } catch (error) {
    if (error instanceof KubeError && error.status === 410) return fetchOne(path);
    throw error;
  }
}

async function joinPages(
  path: string,
  first: ListPage,
  fetchOne: (path: string) => Promise<unknown>,
): Promise<unknown> {
  const items = [...(first.items ?? [])];
  let token = first.metadata?.continue ?? '';
  while (token !== '') {
    // The token carries the resource version; the server refuses both together.
    const page = await fetchOne(
      withQuery(path, {
        limit: String(PAGE_SIZE),
        continue: token,
        resourceVersion: undefined,
        resourceVersionMatch: undefined,
      }),
    );
    if (!isListPage(page)) throw new KubeError('failed', `A page of the list ${path} is not a list. Try again.`);
    items.push(...(page.items ?? []));
    token = page.metadata?.continue ?? '';
  }
  const { continue: _token, remainingItemCount: _count, ...metadata } = first.metadata ?? {};
  return { ...first, metadata, items };
}

function isListPage(value: unknown): value is ListPage {
  return typeof value === 'object' && value !== null && 'items' in value && Array.isArray(value.items);
}
