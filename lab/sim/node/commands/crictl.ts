import { createHash } from 'node:crypto';
import type { RuntimeContainer } from '../../contracts.ts';
import { type Command, type CommandCall, type ParsedArguments, parseArguments, readOption } from './command.ts';
import { formatTime } from './date.ts';

const withValue = ['-o', '--output', '--name', '--timeout', '-t', '--tail', '--state', '-s', '--image', '--pod', '-p'];

/** `crictl ps|stop|logs|inspect|images`; ids may be shortened. */
export const crictl: Command = (call) => {
  const [verb = '', ...rest] = call.args;
  const parsed = parseArguments(rest, withValue);
  const containers = call.node.booted() ? call.node.processes.containers() : undefined;
  if (containers === undefined) return complainOfRuntime(call);
  switch (verb) {
    case 'ps':
      return list(call, containers, parsed);
    case 'stop':
      return stop(call, parsed.words);
    case 'logs':
      return printLogs(call, containers, parsed);
    case 'inspect':
      return inspect(call, containers, parsed.words);
    case 'images':
      return listImages(call, containers, parsed);
    default:
      call.complain(`No help topic for '${verb}'\n`);
      return 3;
  }
};

function complainOfRuntime(call: CommandCall): number {
  const socket = 'unix:///run/containerd/containerd.sock';
  const dial = 'dial unix /run/containerd/containerd.sock: connect: no such file or directory';
  fail(
    call,
    String.raw`validate service connection: validate CRI v1 runtime API for endpoint \"${socket}\": rpc error: code = Unavailable desc = connection error: desc = \"transport: Error while dialing: ${dial}\"`,
  );
  return 1;
}

function fail(call: CommandCall, message: string): void {
  call.complain(`time="${formatTime('%FT%TZ', call.node.clock.now())}" level=fatal msg="${message}"\n`);
}

function list(call: CommandCall, containers: readonly RuntimeContainer[], { options }: ParsedArguments): number {
  const all = options.has('-a') || options.has('--all') || options.has('-aq');
  const name = readOption(options, '--name');
  const state = readOption(options, '--state', '-s')?.toLowerCase();
  const shown = containers
    .filter((each) => (state === undefined ? all || each.state === 'running' : each.state === state))
    .filter((each) => name === undefined || new RegExp(name).test(each.name))
    .toSorted((one, other) => other.createdAt - one.createdAt);
  const format = readOption(options, '-o', '--output');
  if (format === 'json') call.print(`${JSON.stringify({ containers: shown.map(toJson) }, null, 2)}\n`);
  else if (['-q', '--quiet', '-aq'].some((option) => options.has(option)))
    call.print(shown.map(({ id }) => `${id}\n`).join(''));
  else call.print(printTable(shown, call.node.clock.now()));
  return 0;
}

function toJson(container: RuntimeContainer) {
  const image = `sha256:${hash(container.image)}`;
  return {
    id: container.id,
    podSandboxId: sandboxOf(container),
    metadata: { name: container.name, attempt: container.attempt },
    image: { image, annotations: {}, userSpecifiedImage: container.image, runtimeHandler: '' },
    imageRef: image,
    state: `CONTAINER_${container.state.toUpperCase()}`,
    createdAt: String(BigInt(Math.round(container.createdAt)) * 1_000_000n),
    labels: {
      'io.kubernetes.container.name': container.name,
      'io.kubernetes.pod.name': container.podName,
      'io.kubernetes.pod.namespace': container.podNamespace,
      'io.kubernetes.pod.uid': container.podUid,
    },
    annotations: { 'io.kubernetes.container.restartCount': String(container.attempt) },
    imageId: '',
  };
}

function printTable(containers: readonly RuntimeContainer[], now: number): string {
  const rows = [
    ['CONTAINER', 'IMAGE', 'CREATED', 'STATE', 'NAME', 'ATTEMPT', 'POD ID', 'POD', 'NAMESPACE'],
    ...containers.map((each) => [
      each.id.slice(0, 13),
      hash(each.image).slice(0, 13),
      `${describeAge(now - each.createdAt)} ago`,
      `${each.state.slice(0, 1).toUpperCase()}${each.state.slice(1)}`,
      each.name,
      String(each.attempt),
      sandboxOf(each).slice(0, 13),
      each.podName,
      each.podNamespace,
    ]),
  ];
  const widths = (rows[0] ?? []).map((_, column) => Math.max(20, ...rows.map((row) => (row[column] ?? '').length + 3)));
  return rows
    .map((row) => `${row.map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0))).join('')}\n`)
    .join('');
}

/** As docker/go-units rounds it. */
function describeAge(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  const [minutes, hours] = [Math.floor(seconds / 60), Math.round(seconds / 3600)];
  if (seconds < 1) return 'Less than a second';
  if (seconds === 1) return '1 second';
  if (seconds < 60) return `${seconds} seconds`;
  if (minutes === 1) return 'About a minute';
  if (minutes < 60) return `${minutes} minutes`;
  if (hours === 1) return 'About an hour';
  return hours < 48 ? `${hours} hours` : `${Math.floor(hours / 24)} days`;
}

async function stop(call: CommandCall, ids: readonly string[]): Promise<number> {
  let exitCode = 0;
  for (const id of ids) {
    if (await call.node.processes.stopContainer(id)) call.print(`${id}\n`);
    else {
      const reason = `rpc error: code = NotFound desc = an error occurred when try to find container \\"${id}\\": not found`;
      fail(call, `stopping the container \\"${id}\\": ${reason}`);
      exitCode = 1;
    }
  }
  return exitCode;
}

function find(call: CommandCall, containers: readonly RuntimeContainer[], id: string): RuntimeContainer | undefined {
  const found = id === '' ? undefined : containers.find((each) => each.id.startsWith(id));
  if (found === undefined)
    fail(call, `rpc error: code = NotFound desc = an error occurred when try to find container \\"${id}\\": not found`);
  return found;
}

function printLogs(
  call: CommandCall,
  containers: readonly RuntimeContainer[],
  { options, words }: ParsedArguments,
): number {
  const container = find(call, containers, words[0] ?? '');
  if (container === undefined) return 1;
  const tail = readOption(options, '--tail');
  const lines =
    tail === undefined || Number(tail) < 0 ? container.log : container.log.slice(-Number(tail) || container.log.length);
  call.print(lines.map((line) => `${line}\n`).join(''));
  return 0;
}

function inspect(call: CommandCall, containers: readonly RuntimeContainer[], ids: readonly string[]): number {
  for (const id of ids) {
    const container = find(call, containers, id);
    if (container === undefined) return 1;
    const { createdAt, finishedAt, exitCode } = container;
    const { annotations, image, imageRef, labels, metadata, state } = toJson(container);
    const time = (value: number | undefined) => (value === undefined ? '' : new Date(value).toISOString());
    const status = {
      id: container.id,
      metadata,
      state,
      createdAt: time(createdAt),
      startedAt: container.state === 'created' ? '' : time(createdAt),
      finishedAt: time(finishedAt) || '0001-01-01T00:00:00Z',
      exitCode: exitCode ?? 0,
      image,
      imageRef,
      reason: exitCode === undefined ? '' : exitCode === 0 ? 'Completed' : 'Error',
      labels,
      annotations,
    };
    call.print(`${JSON.stringify({ status }, null, 2)}\n`);
  }
  return 0;
}

function listImages(call: CommandCall, containers: readonly RuntimeContainer[], { options }: ParsedArguments): number {
  const names = [...new Set(containers.map(({ image }) => image))].sort();
  if (readOption(options, '-o', '--output') === 'json') {
    const images = names.map((name) => ({
      id: `sha256:${hash(name)}`,
      repoTags: [name],
      repoDigests: [],
      pinned: false,
    }));
    call.print(`${JSON.stringify({ images }, null, 2)}\n`);
    return 0;
  }
  call.print(`${'IMAGE'.padEnd(60)}IMAGE ID\n`);
  for (const name of names) call.print(`${name.padEnd(60)}${hash(name).slice(0, 13)}\n`);
  return 0;
}

function sandboxOf({ podUid, podName }: RuntimeContainer): string {
  return hash(`sandbox ${podUid} ${podName}`);
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
