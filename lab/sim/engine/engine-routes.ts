import type { NetworkRecord } from './networks.ts';
import type { Docker } from './docker.ts';
import { describeEvent, describeNetwork } from './documents.ts';
import { API_VERSION, describeImages, describeInfo, describeVersion } from './engine-documents.ts';
import type { DockerEvent } from './events.ts';
import type { Answer, EngineRequest, Filters, Route } from './http.ts';
import {
  answerJson,
  firstOf,
  isObject,
  matchesLabels,
  NO_CONTENT,
  readFilters,
  readJson,
  readText,
  route,
} from './http.ts';
import { DockerRefusal } from './refusal.ts';

export const engineRoutes: readonly Route[] = [
  route('GET /_ping', answerPing),
  route('HEAD /_ping', answerPing),
  route('GET /info', ({ docker }) => answerJson(describeInfo(docker))),
  route('GET /version', ({ docker }) => answerJson(describeVersion(docker))),
  route('GET /images/json', ({ docker }) => answerJson(describeImages(docker))),
  route('GET /images/*/json', (request) => {
    const found = describeImages(request.docker).find((image) => JSON.stringify(image).includes(firstOf(request)));
    if (found === undefined) throw new DockerRefusal(404, `No such image: ${firstOf(request)}`);
    return answerJson(found);
  }),
  route('GET /volumes', () => answerJson({ Volumes: [], Warnings: null })),
  route('GET /events', streamEvents),
  route('GET /networks', ({ docker, query }) => {
    const filters = readFilters(query);
    const found = docker.networks().filter((network) => matchesNetwork(network, filters));
    return answerJson(found.map((network) => describeNetwork(network, [])));
  }),
  route('POST /networks/create', async ({ docker, message }) => {
    const network = docker.addNetwork(readNetwork(docker, await readJson(message)));
    return answerJson({ Id: network.id, Warning: '' }, 201);
  }),
  route('GET /networks/:id', (request) =>
    answerJson(describeNetwork(request.docker.findNetwork(firstOf(request)), request.docker.containers())),
  ),
  route('DELETE /networks/:id', (request) => {
    request.docker.removeNetwork(firstOf(request));
    return NO_CONTENT;
  }),
  route('POST /networks/:id/connect', async (request) => {
    const asked = await readJson(request.message);
    if (wantsAddress(asked)) throw new DockerRefusal(400, ADDRESS_REFUSAL);
    request.docker.connect(firstOf(request), readText(asked, 'Container'));
    return { status: 200 };
  }),
  route('POST /networks/:id/disconnect', async (request) => {
    const asked = await readJson(request.message);
    request.docker.disconnect(firstOf(request), readText(asked, 'Container'));
    return { status: 200 };
  }),
];

/** kind's network has no IPv4 subnet that a user set. */
const ADDRESS_REFUSAL =
  'invalid config for network kind: invalid endpoint settings:\nuser specified IP address is supported only when connecting to networks with user configured subnets';

function wantsAddress(asked: Readonly<Record<string, unknown>>): boolean {
  const config = isObject(asked['EndpointConfig']) ? asked['EndpointConfig']['IPAMConfig'] : undefined;
  return isObject(config) && typeof config['IPv4Address'] === 'string' && config['IPv4Address'] !== '';
}

function answerPing({ message }: EngineRequest): Answer {
  const headers = {
    'Content-Type': 'text/plain; charset=utf-8',
    'Cache-Control': 'no-cache, no-store, must-revalidate',
    'Builder-Version': '2',
    Swarm: 'inactive',
  };
  return { status: 200, headers, bytes: Buffer.from(message.method === 'HEAD' ? '' : 'OK') };
}

function matchesNetwork(network: NetworkRecord, filters: Filters): boolean {
  const any = (name: string, fits: (value: string) => boolean) => filters.get(name)?.some(fits) ?? true;
  return (
    any('name', (value) => network.spec.name.includes(value)) &&
    any('id', (value) => network.id.startsWith(value)) &&
    any('driver', (value) => value === 'bridge') &&
    !filters.has('label')
  );
}

/** Docker's default pools go on with the next free second octet. */
function readNetwork(docker: Docker, asked: Readonly<Record<string, unknown>>) {
  const ipam = isObject(asked['IPAM']) ? asked['IPAM']['Config'] : undefined;
  const subnets = (Array.isArray(ipam) ? ipam : []).flatMap((each: unknown) =>
    isObject(each) && typeof each['Subnet'] === 'string' ? [each['Subnet']] : [],
  );
  const subnet = subnets.find((each) => !each.includes(':')) ?? `172.${18 + docker.networks().length}.0.0/16`;
  const subnet6 = subnets.find((each) => each.includes(':'));
  return { name: readText(asked, 'Name'), subnet, ...(subnet6 === undefined ? {} : { subnet6 }) };
}

/** Those that already happened since `since`, then the new ones until `until`, or until the caller goes away. */
function streamEvents({ docker, query, response, lease }: EngineRequest): Answer {
  const filters = readFilters(query);
  const since = readTime(query.get('since'));
  const until = readTime(query.get('until'));
  const write = (event: DockerEvent) => {
    if (matchesEvent(docker, event, filters)) response.write(`${JSON.stringify(describeEvent(event))}\n`);
  };
  response.writeHead(200, { 'Content-Type': 'application/json', 'Api-Version': API_VERSION });
  response.flushHeaders();
  if (since !== undefined) {
    const recent = docker.events.recent().filter(({ time }) => time >= since && time <= (until ?? time));
    recent.forEach(write);
  }
  const rest = until === undefined ? undefined : until - docker.clock.now();
  if (rest !== undefined && rest <= 0) {
    response.end();
    return 'taken';
  }
  const stopListening = docker.events.follow(write);
  const cancelEnd = rest === undefined ? undefined : docker.clock.schedule(rest, () => void response.end());
  response.on('close', () => {
    stopListening();
    cancelEnd?.();
  });
  lease.release();
  return 'taken';
}

/** Docker's seconds with a fraction, as milliseconds. */
function readTime(text: string | null): number | undefined {
  if (text === null || text === '' || text === '0') return undefined;
  const time = Number(text) * 1000;
  if (Number.isNaN(time)) throw new DockerRefusal(400, `strconv.ParseInt: parsing "${text}": invalid syntax`);
  return time;
}

function matchesEvent(docker: Docker, event: DockerEvent, filters: Filters): boolean {
  const any = (name: string, fits: (value: string) => boolean) => filters.get(name)?.some(fits) ?? true;
  const container = event.type === 'container' ? event.actor : event.attributes['container'];
  const name = docker.containers().find((record) => record.id === container)?.name ?? event.attributes['name'];
  return (
    any('type', (value) => value === event.type) &&
    any('event', (value) => event.action === value || event.action.startsWith(`${value}:`)) &&
    any('container', (value) => container !== undefined && (container.startsWith(value) || name === value)) &&
    any('network', (value) => event.type === 'network' && [event.actor, event.attributes['name']].includes(value)) &&
    any('image', (value) => event.attributes['image'] === value) &&
    matchesLabels(event.attributes, filters.get('label'))
  );
}
