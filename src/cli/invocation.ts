import type { EngineApi } from './engine-api.ts';
import type { CommandHost, HostOptions, OutputFormat } from './hosts/host.ts';
import { openHost } from './hosts/open.ts';
import type { Streams } from './streams.ts';
import type { Surroundings } from '../engine/surroundings.ts';

/** One call of the program, as the commands see it. */
export interface Invocation {
  /** What the user typed: `rekindle` or `kubectl rekindle`. */
  readonly program: string;
  readonly surroundings: Surroundings;
  readonly streams: Streams;
  readonly loadEngine: () => Promise<EngineApi>;
  readonly signal: AbortSignal;
  interrupt(): void;
}

export interface CommonOptions {
  readonly output: OutputFormat;
  readonly verbose?: true | undefined;
  readonly color: boolean;
}

export interface EngineOptions {
  readonly dockerHost?: string | undefined;
  readonly kubeconfig?: string | undefined;
}

/** Opens the host that fits the output asked for, and closes it whatever happens. */
export async function withHost<T>(
  options: CommonOptions,
  narrate: boolean,
  invocation: Invocation,
  use: (host: CommandHost) => Promise<T>,
): Promise<T> {
  const { program, streams, surroundings } = invocation;
  const hostOptions: HostOptions = {
    output: options.output,
    verbose: options.verbose === true,
    color: options.color,
    narrate,
    program,
    streams,
    surroundings,
    interrupt: () => invocation.interrupt(),
  };
  const host = await openHost(hostOptions);
  try {
    return await use(host);
  } finally {
    host.close();
  }
}

export async function openWorld(engine: EngineApi, options: EngineOptions, { surroundings }: Invocation) {
  const network = surroundings.environment['KIND_EXPERIMENTAL_DOCKER_NETWORK'] ?? '';
  return engine.openWorld(
    {
      ...(options.dockerHost === undefined ? {} : { dockerHost: options.dockerHost }),
      ...(options.kubeconfig === undefined ? {} : { kubeconfig: options.kubeconfig }),
      ...(network === '' ? {} : { network }),
    },
    surroundings,
  );
}
