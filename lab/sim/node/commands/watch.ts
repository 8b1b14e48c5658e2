import { type ApiAnswer, type ApiRequest, requestApi } from './api-client.ts';
import type { CommandCall } from './command.ts';

interface Item {
  readonly metadata?: { readonly uid?: string; readonly resourceVersion?: string };
}

interface List {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: { readonly resourceVersion?: string };
  readonly items?: readonly Item[];
}

const betweenListsMs = 1000;

/**
 * A watch by kubectl in a node. What a node may ask an API server is one answer at a time, so the list is taken again
 * each second and its differences are told as the events they are. Ends with `timeoutSeconds`, or the caller.
 */
export async function watchByLists(
  call: CommandCall,
  request: ApiRequest,
  describeAnswer: (answer: ApiAnswer, url: URL) => string | undefined,
): Promise<number> {
  const { clock } = call.node;
  const since = request.url.searchParams.get('resourceVersion') ?? '';
  const seconds = Number(request.url.searchParams.get('timeoutSeconds') ?? '300');
  const end = clock.now() + seconds * 1000;
  const url = new URL(request.url);
  for (const key of ['watch', 'allowWatchBookmarks', 'resourceVersion', 'timeoutSeconds']) url.searchParams.delete(key);
  let known: ReadonlyMap<string, Item> | undefined;
  while (!call.signal.aborted && clock.now() < end) {
    const answer = await requestApi(call.node, { ...request, url });
    const complaint = describeAnswer(answer, url);
    if (complaint !== undefined) {
      call.complain(`${complaint}\n`);
      return 1;
    }
    const list = readList(answer);
    const items = new Map((list.items ?? []).map((item) => [item.metadata?.uid ?? '', item]));
    for (const event of compare(known, items, list, since)) call.print(`${JSON.stringify(event)}\n`);
    known = items;
    await pause(call);
  }
  return 0;
}

function readList(answer: ApiAnswer): List {
  return answer.ok ? (JSON.parse(answer.body.toString('utf8')) as List) : {};
}

function* compare(
  known: ReadonlyMap<string, Item> | undefined,
  items: ReadonlyMap<string, Item>,
  list: List,
  since: string,
) {
  // The items of a list have no kind of their own.
  const complete = (item: Item) => ({ kind: list.kind?.replace(/List$/, ''), apiVersion: list.apiVersion, ...item });
  for (const [uid, item] of items) {
    const before = known?.get(uid)?.metadata?.resourceVersion;
    const version = item.metadata?.resourceVersion ?? '';
    const isNew = known === undefined ? Number(version) > Number(since) : version !== before;
    if (isNew)
      yield { type: before === undefined && known !== undefined ? 'ADDED' : 'MODIFIED', object: complete(item) };
  }
  for (const [uid, item] of known ?? []) if (!items.has(uid)) yield { type: 'DELETED', object: complete(item) };
}

function pause({ node, signal }: CommandCall): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const stop = () => {
      cancel();
      resolve();
    };
    const cancel = node.clock.schedule(betweenListsMs, () => {
      signal.removeEventListener('abort', stop);
      resolve();
    });
    signal.addEventListener('abort', stop, { once: true });
  });
}
