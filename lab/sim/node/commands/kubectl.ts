import { type ApiAnswer, type ApiRequest, readCredentials, requestApi } from './api-client.ts';
import { type Command, type CommandCall, type ParsedArguments, parseArguments, readOption } from './command.ts';
import { watchByLists } from './watch.ts';

const withValue =
  '--kubeconfig --server -s --request-timeout --raw --filename -f --type --patch-file --output -o --namespace -n --subresource --field-manager'.split(
    ' ',
  );

const patchTypes: Readonly<Record<string, string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
};

/** `kubectl get --raw`, `delete --raw` and `patch`, as a program inside a node is asked for them. */
export const kubectl: Command = async (call) => {
  const { options, words } = parseArguments(call.args, withValue);
  const config = readOption(options, '--kubeconfig') ?? '/etc/kubernetes/admin.conf';
  const credentials = readCredentials(call.node, config);
  if (!credentials.ok) return complainOf(call, `error: ${credentials.reason}`);
  const [verb = ''] = words;
  const raw = readOption(options, '--raw');
  const path = raw ?? (verb === 'patch' ? patchPath(options, words) : undefined);
  if (path === undefined || !['get', 'delete', 'patch'].includes(verb))
    return complainOf(
      call,
      `error: the simulated kubectl knows get --raw, delete --raw and patch, not: ${words.join(' ')}`,
    );
  const server = readOption(options, '--server', '-s') ?? credentials.server;
  const base = `${server.replace(/\/$/, '')}/`;
  const url = URL.canParse(path, base) ? new URL(path, base) : undefined;
  if (url === undefined) return complainOf(call, `error: ${server} is no server's address`);
  if (!credentials.isClientValid) return complainOf(call, 'error: You must be logged in to the server (Unauthorized)');
  const request: ApiRequest = {
    url,
    method: verb.toUpperCase(),
    timeoutMs: readTimeout(readOption(options, '--request-timeout')),
    signal: call.signal,
    ...(await readBody(call, verb, options)),
  };
  if (verb === 'get' && url.searchParams.has('watch')) return watchByLists(call, request, describeAnswer);
  const answer = await requestApi(call.node, request);
  const complaint = describeAnswer(answer, url);
  if (complaint !== undefined) return complainOf(call, complaint);
  if (answer.ok) call.print(answer.body);
  return 0;
};

function complainOf(call: CommandCall, text: string): number {
  call.complain(`${text}\n`);
  return 1;
}

async function readBody(
  call: CommandCall,
  verb: string,
  options: ParsedArguments['options'],
): Promise<Pick<ApiRequest, 'body' | 'headers'>> {
  if (verb === 'get') return { headers: { accept: 'application/json, */*' } };
  const path = readOption(options, '--patch-file', '--filename', '-f');
  const fromStdin = path === '-' || path === '/dev/stdin';
  const body = fromStdin ? await call.readStdin() : call.node.files.read(path ?? '');
  const type = verb === 'patch' ? patchTypes[readOption(options, '--type') ?? 'strategic'] : 'application/json';
  return {
    headers: { accept: 'application/json', 'content-type': type ?? 'application/json' },
    ...(body === undefined || body.length === 0 ? {} : { body }),
  };
}

/** `patch --namespace N --subresource S -- PLURAL.VERSION.GROUP NAME` */
function patchPath(options: ParsedArguments['options'], words: readonly string[]): string | undefined {
  const [, kind = '', name] = words;
  const [resource = '', version = '', ...group] = kind.split('.');
  const groupName = group.join('.');
  if (name === undefined || resource === '' || version === '') return undefined;
  const root = groupName === '' ? ['api', version] : ['apis', groupName, version];
  const namespace = readOption(options, '--namespace', '-n');
  const subresource = readOption(options, '--subresource');
  const segments = [
    ...root,
    ...(namespace === undefined ? [] : ['namespaces', namespace]),
    resource,
    name,
    ...(subresource === undefined ? [] : [subresource]),
  ];
  const query = new URLSearchParams();
  if (readOption(options, '--dry-run') === 'server') query.set('dryRun', 'All');
  const manager = readOption(options, '--field-manager');
  if (manager !== undefined) query.set('fieldManager', manager);
  const text = query.toString();
  return `/${segments.map(encodeURIComponent).join('/')}${text === '' ? '' : `?${text}`}`;
}

/** `5000ms`, `5s`, `1m`; zero means no limit. */
function readTimeout(text: string | undefined): number | undefined {
  const match = /^(\d+)(ms|s|m)?$/.exec(text ?? '');
  if (match === null) return undefined;
  const milliseconds = Number(match[1]) * { ms: 1, s: 1000, m: 60_000 }[(match[2] ?? 's') as 'ms' | 's' | 'm'];
  return milliseconds === 0 ? undefined : milliseconds;
}

/** kubectl's words for a failure; undefined where there is none. */
function describeAnswer(answer: ApiAnswer, url: URL): string | undefined {
  if (!answer.ok) return describeFailure(answer, url);
  if (answer.status < 400) return undefined;
  if (answer.status === 401) return 'error: You must be logged in to the server (Unauthorized)';
  const text = answer.body.toString('utf8');
  const status = readStatus(text);
  if (status !== undefined) return `Error from server (${status.reason}): ${status.message}`;
  const reason = answer.status === 404 ? 'NotFound' : answer.status === 503 ? 'ServiceUnavailable' : 'InternalError';
  return reason === 'NotFound'
    ? 'Error from server (NotFound): the server could not find the requested resource'
    : `Error from server (${reason}): an error on the server (${JSON.stringify(text)}) has prevented the request from succeeding`;
}

function describeFailure(answer: Extract<ApiAnswer, { ok: false }>, url: URL): string {
  switch (answer.why) {
    case 'refused':
      return `The connection to the server ${url.host} was refused - did you specify the right host or port?`;
    case 'timeout':
      return 'Unable to connect to the server: net/http: request canceled (Client.Timeout exceeded while awaiting headers)';
    case 'tls':
      return `Unable to connect to the server: tls: failed to verify certificate: ${answer.reason}`;
    case 'no-route':
    case 'no-such-host':
      return `Unable to connect to the server: ${answer.reason}`;
    default:
      return answer.why satisfies never;
  }
}

function readStatus(text: string): { readonly reason: string; readonly message: string } | undefined {
  try {
    const { kind, reason = 'Unknown', message = '' } = JSON.parse(text) as Readonly<Record<string, string | undefined>>;
    return kind === 'Status' ? { reason, message } : undefined;
  } catch {
    return undefined;
  }
}
