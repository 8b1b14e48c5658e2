import { buffer } from 'node:stream/consumers';
import { describePath, packPath, unpackInto } from './archive.ts';
import type { ContainerRecord, RestartPolicy } from './container.ts';
import { describeContainer, summarizeContainer } from './container-documents.ts';
import type { Answer, EngineRequest, Filters, Route } from './http.ts';
import {
  answerJson,
  firstOf,
  isObject,
  matchesLabels,
  NO_CONTENT,
  readFilters,
  readFlag,
  readJson,
  readText,
  route,
} from './http.ts';
import { createIdleGuest } from './idle-guest.ts';
import { pass, waitOutside } from './lease.ts';
import { DockerRefusal } from './refusal.ts';

export const containerRoutes: readonly Route[] = [
  route('GET /containers/json', listContainers),
  route('POST /containers/create', createContainer),
  route('GET /containers/:id/json', (request) => answerJson(describeContainer(request.docker.find(firstOf(request))))),
  route('GET /containers/:id/logs', (request) => {
    request.docker.find(firstOf(request));
    const headers = { 'Content-Type': 'application/vnd.docker.multiplexed-stream' };
    return { status: 200, headers, bytes: Buffer.alloc(0) };
  }),
  route('POST /containers/:id/start', async (request) => {
    request.docker.start(firstOf(request));
    return finish(request);
  }),
  route('POST /containers/:id/stop', async (request) => {
    await waitOutside(request.lease, request.docker.stop(firstOf(request), readGrace(request)));
    return NO_CONTENT;
  }),
  route('POST /containers/:id/restart', async (request) => {
    await waitOutside(request.lease, request.docker.restart(firstOf(request), readGrace(request)));
    return finish(request);
  }),
  route('POST /containers/:id/kill', async (request) => {
    request.docker.kill(firstOf(request), request.query.get('signal') || 'SIGKILL');
    return finish(request);
  }),
  route('POST /containers/:id/update', async (request) => {
    const { RestartPolicy: asked } = await readJson(request.message);
    if (isObject(asked)) request.docker.setRestartPolicy(firstOf(request), readPolicy(asked));
    return answerJson({ Warnings: null });
  }),
  route('POST /containers/:id/wait', waitForContainer),
  route('DELETE /containers/:id', (request) => {
    request.docker.remove(firstOf(request), { force: readFlag(request.query, 'force') });
    return NO_CONTENT;
  }),
  route('HEAD /containers/:id/archive', (request) => ({ status: 200, headers: describeArchive(request) })),
  route('GET /containers/:id/archive', async (request) => {
    const { files } = request.docker.find(firstOf(request)).spec.guest;
    const headers = { ...describeArchive(request), 'Content-Type': 'application/x-tar' };
    return { status: 200, headers, bytes: await packPath(files, readPath(request), firstOf(request)) };
  }),
  route('PUT /containers/:id/archive', async (request) => {
    const { files } = request.docker.find(firstOf(request)).spec.guest;
    const bytes = await buffer(request.message);
    const keepKinds = readFlag(request.query, 'noOverwriteDirNonDir');
    await unpackInto(files, readPath(request), bytes, firstOf(request), { keepKinds });
    return { status: 200 };
  }),
];

async function finish({ docker, lease }: EngineRequest): Promise<Answer> {
  await pass(docker.clock, docker.options.answerMs ?? ANSWER_MS, lease);
  return NO_CONTENT;
}

export const ANSWER_MS = 300;

function listContainers({ docker, query }: EngineRequest): Answer {
  const filters = readFilters(query);
  const all = readFlag(query, 'all') || filters.has('status');
  const found = docker
    .containers()
    .toReversed()
    .filter((record) => all || record.status === 'running' || record.status === 'restarting')
    .filter((record) => matchesFilters(record, filters));
  const limit = Number(query.get('limit') ?? 0);
  const shown = limit > 0 ? found.slice(0, limit) : found;
  return answerJson(shown.map((record) => summarizeContainer(record, docker.clock.now())));
}

/** Of one filter's values any may fit, but labels all have to. */
function matchesFilters(record: ContainerRecord, filters: Filters): boolean {
  const any = (name: string, fits: (value: string) => boolean) => filters.get(name)?.some(fits) ?? true;
  return (
    matchesLabels(record.spec.labels ?? {}, filters.get('label')) &&
    any('name', (value) => new RegExp(value).test(`/${record.name}`) || new RegExp(value).test(record.name)) &&
    any('id', (value) => record.id.startsWith(value)) &&
    any('status', (value) => record.status === value) &&
    any('ancestor', (value) => record.spec.image === value || record.imageId === value) &&
    any('exited', (value) => record.status === 'exited' && record.exitCode === Number(value)) &&
    any('network', (value) =>
      [...record.endpoints.values()].some(({ network }) => network.spec.name === value || network.id === value),
    )
  );
}

/** A container that does nothing but hold its addresses, whatever its command is. */
async function createContainer({ docker, query, message }: EngineRequest): Promise<Answer> {
  const asked = await readJson(message);
  const hostConfig = isObject(asked['HostConfig']) ? asked['HostConfig'] : {};
  const policy = hostConfig['RestartPolicy'];
  const mode = readText(hostConfig, 'NetworkMode');
  const network = ['', 'default', 'bridge'].includes(mode) ? 'kind' : mode;
  const command = [...listStrings(asked['Entrypoint']), ...listStrings(asked['Cmd'])];
  const container = docker.create({
    name: query.get('name') || `container-${docker.makeId().slice(0, 8)}`,
    image: readText(asked, 'Image'),
    guest: createIdleGuest(() => docker.clock.now()),
    labels: readStringMap(asked['Labels']),
    ...(readText(asked, 'Hostname') === '' ? {} : { hostname: readText(asked, 'Hostname') }),
    networks: [docker.findNetwork(network).spec.name],
    command,
    environment: listStrings(asked['Env']),
    shutdown: 'ignored',
    autoRemove: hostConfig['AutoRemove'] === true,
    ...(isObject(policy) ? { restartPolicy: readPolicy(policy) } : {}),
  });
  return answerJson({ Id: container.id, Warnings: [] }, 201);
}

function waitForContainer(request: EngineRequest): Promise<Answer> {
  const { docker, response, lease } = request;
  const record = docker.find(firstOf(request));
  const condition = request.query.get('condition') ?? 'not-running';
  response.writeHead(200, { 'Content-Type': 'application/json' });
  response.flushHeaders();
  const answer = () => response.end(`${JSON.stringify({ StatusCode: record.exitCode })}\n`);
  if (condition !== 'next-exit' && condition !== 'removed' && record.status !== 'running') {
    answer();
    return Promise.resolve('taken');
  }
  const stopListening = docker.addHooks({
    onStop(container) {
      if (container.id !== record.id) return;
      stopListening();
      answer();
    },
  });
  response.on('close', stopListening);
  lease.release();
  return Promise.resolve('taken');
}

function describeArchive(request: EngineRequest): Record<string, string> {
  const { files } = request.docker.find(firstOf(request)).spec.guest;
  const document = JSON.stringify(describePath(files, readPath(request), firstOf(request)));
  return { 'X-Docker-Container-Path-Stat': Buffer.from(document).toString('base64') };
}

function readPath({ query }: EngineRequest): string {
  const path = query.get('path') ?? '';
  if (path === '') throw new DockerRefusal(400, 'bad parameter: path cannot be empty');
  return path.startsWith('/') ? path : `/${path}`;
}

/** Seconds; a negative number is a patience without end. */
function readGrace({ query }: EngineRequest): number | undefined {
  const text = query.get('t');
  if (text === null || text === '') return undefined;
  return Number(text) < 0 ? ENDLESS_SECONDS : Number(text);
}

const ENDLESS_SECONDS = 365 * 24 * 3_600;

function readPolicy(asked: Readonly<Record<string, unknown>>): RestartPolicy {
  const name = readText(asked, 'Name') || 'no';
  const maximumRetryCount = Number(asked['MaximumRetryCount'] ?? 0);
  if (name === 'no' || name === 'always' || name === 'unless-stopped' || name === 'on-failure')
    return { name, maximumRetryCount };
  throw new DockerRefusal(
    400,
    `invalid restart policy: unknown policy '${name}'; use one of 'no', 'always', 'on-failure', or 'unless-stopped'`,
  );
}

function listStrings(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function readStringMap(value: unknown): Record<string, string> {
  return Object.fromEntries(Object.entries(isObject(value) ? value : {}).map(([key, each]) => [key, String(each)]));
}
