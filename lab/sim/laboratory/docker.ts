import type { ContainerRecord, RestartPolicy } from '../engine/container.ts';
import type { Docker } from '../engine/docker.ts';
import { DockerRefusal } from '../engine/refusal.ts';
import { describeContainer } from '../engine/container-documents.ts';
import { fail, type Program, readArguments, say, UsageError } from './program.ts';

/**
 * The `docker` command, as far as faults and scenarios use it, over the model of the engine. What it does not know it
 * refuses, so that no fault is staged by half.
 */
export function makeDockerProgram(docker: Docker, makeIdleGuest: () => ContainerRecord['spec']['guest']): Program {
  return async (argv, options) => {
    const [command = '', ...rest] = argv;
    if (!docker.isUp()) return fail(1, 'Cannot connect to the Docker daemon. Is the docker daemon running?');
    try {
      return await run(command, rest, options);
    } catch (error) {
      if (error instanceof DockerRefusal) return fail(1, `Error response from daemon: ${error.message}`);
      throw error;
    }
  };

  async function run(command: string, words: readonly string[], options: { readonly stdin?: string }) {
    switch (command) {
      case 'ps':
        return list(words);
      case 'inspect':
        return inspect(words);
      case 'exec':
        return await execute(words, options.stdin ?? '');
      case 'run':
        return runContainer(words);
      case 'network':
        return changeNetwork(words);
      case 'start':
        return forEach(words, {}, (name) => docker.start(name));
      case 'kill':
        return forEach(words, {}, (name) => docker.kill(name));
      case 'stop':
        return await forEach(words, { '--time': 'value' }, (name, { '--time': time }) =>
          docker.stop(name, time === undefined ? undefined : Number(time)).catch(ignoreUnmodified),
        );
      case 'restart':
        return await forEach(words, { '--time': 'value' }, (name, { '--time': time }) =>
          docker.restart(name, time === undefined ? undefined : Number(time)),
        );
      case 'update':
        return await forEach(words, { '--restart': 'value' }, (name, { '--restart': policy = '' }) => {
          const [kind = '', count] = policy.split(':');
          if (!isPolicy(kind)) throw new UsageError(`the simulated docker knows no restart policy ${policy}`);
          docker.setRestartPolicy(name, { name: kind, maximumRetryCount: Number(count ?? 0) });
        });
      case 'rm':
        return forEach(words, { '--force': 'flag', '--volumes': 'flag' }, (name) => {
          if (docker.containers().some((one) => one.name === name || one.id === name))
            docker.remove(name, { force: true });
        });
      default:
        throw new UsageError(`the simulated docker has no command ${command}`);
    }
  }

  function list(words: readonly string[]) {
    const { flags, rest } = readArguments(words, {
      '--all': 'flag',
      '--quiet': 'flag',
      '--filter': 'value',
      '--format': 'value',
    });
    if (rest.length > 0) throw new UsageError(`docker ps takes no ${rest.join(' ')}`);
    const [, label = ''] = /^label=(.*)$/.exec(flags['--filter'] ?? '') ?? [];
    const cut = label.indexOf('=');
    const [key, value] = cut < 0 ? [label, undefined] : [label.slice(0, cut), label.slice(cut + 1)];
    const found = docker.containers().filter(({ spec, status }) => {
      const labels = spec.labels ?? {};
      const matches = key === '' || (key in labels && (value === undefined || labels[key] === value));
      return matches && (flags['--all'] !== undefined || status === 'running');
    });
    return say(found.map((one) => `${flags['--quiet'] === undefined ? one.name : one.id}\n`).join(''));
  }

  function inspect(words: readonly string[]) {
    const { flags, rest } = readArguments(words, { '--format': 'value' });
    const records = rest.map((name) => docker.find(name));
    const format = flags['--format'];
    if (format === undefined) return say(JSON.stringify(records.map((record) => describeContainer(record))));
    if (format !== '{{.NetworkSettings.Networks.kind.IPAddress}}')
      throw new UsageError(`the simulated docker knows no format ${format}`);
    return say(records.map((record) => `${docker.interfaces(record.id)[0]?.ipv4 ?? ''}\n`).join(''));
  }

  async function execute(words: readonly string[], stdin: string) {
    const [flag, ...rest] = words;
    const [name = '', ...command] = flag === '--interactive' ? rest : words;
    const record = docker.find(name);
    if (record.status !== 'running') throw new DockerRefusal(409, `container ${record.id} is not running`);
    const output = { 1: [] as Buffer[], 2: [] as Buffer[] };
    const exitCode = await record.spec.guest.exec({
      argv: command,
      environment: [],
      readStdin: () => Promise.resolve(Buffer.from(stdin)),
      writeStdout: (bytes) => output[1].push(Buffer.from(bytes as Uint8Array)),
      writeStderr: (bytes) => output[2].push(Buffer.from(bytes as Uint8Array)),
      signal: record.life.signal,
    });
    const text = (stream: 1 | 2) => Buffer.concat(output[stream]).toString('utf8');
    return { exitCode, stdout: text(1), stderr: text(2) };
  }

  function runContainer(words: readonly string[]) {
    const { flags, rest } = readArguments(words, {
      '--detach': 'flag',
      '--name': 'value',
      '--label': 'value',
      '--network': 'value',
      '--entrypoint': 'value',
    });
    const [image = ''] = rest;
    const [key = '', value = ''] = (flags['--label'] ?? '').split('=');
    const { id } = docker.create({
      name: flags['--name'] ?? '',
      image,
      labels: { [key]: value },
      networks: [flags['--network'] ?? 'bridge'],
      guest: makeIdleGuest(),
    });
    docker.start(id);
    return say(`${id}\n`);
  }

  function changeNetwork(words: readonly string[]) {
    const [verb, network = '', container = ''] = words;
    if (verb === 'connect') docker.connect(network, container);
    else if (verb === 'disconnect') docker.disconnect(network, container);
    else throw new UsageError(`the simulated docker has no network command ${verb}`);
    return say('');
  }
}

function isPolicy(word: string): word is RestartPolicy['name'] {
  return word === 'no' || word === 'always' || word === 'unless-stopped' || word === 'on-failure';
}

function ignoreUnmodified(error: unknown): void {
  if (!(error instanceof DockerRefusal) || error.status !== 304) throw error;
}

async function forEach(
  words: readonly string[],
  known: Readonly<Record<string, 'flag' | 'value'>>,
  action: (name: string, flags: Readonly<Record<string, string | undefined>>) => void | Promise<void>,
) {
  const { flags, rest } = readArguments(words, known);
  const refusals: string[] = [];
  await Promise.all(
    rest.map(async (name) => {
      try {
        await action(name, flags);
      } catch (error) {
        if (!(error instanceof DockerRefusal)) throw error;
        refusals.push(`Error response from daemon: ${error.message}`);
      }
    }),
  );
  return refusals.length === 0 ? say(rest.map((name) => `${name}\n`).join('')) : fail(1, refusals.join('\n'));
}
