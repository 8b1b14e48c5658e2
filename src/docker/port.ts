/**
 * The Docker engine, as far as rekindle needs it. The types are our own, so that nothing above knows
 * which library, or which engine, answers.
 */

/** How the engine was found, or why a place was passed over. */
export interface EndpointAttempt {
  /** Where the endpoint came from: `--docker-host`, `DOCKER_HOST`, `docker context "x"`, `default socket`, … */
  readonly source: string;
  /** The endpoint tried, such as `unix:///var/run/docker.sock`; empty where the source names none. */
  readonly endpoint: string;
  /** Why it was not used; absent on the one that was. */
  readonly reason?: string;
}

export type EngineFailureKind = 'unreachable' | 'permission-denied' | 'not-found' | 'conflict' | 'timeout' | 'failed';

/** What an engine call failed of. `notFound` and `conflict` are Docker's 404 and 409. */
export class EngineError extends Error {
  readonly kind: EngineFailureKind;
  readonly attempts: readonly EndpointAttempt[];
  constructor(
    kind: EngineFailureKind,
    message: string,
    options: { cause?: unknown; attempts?: readonly EndpointAttempt[] } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'EngineError';
    this.kind = kind;
    this.attempts = options.attempts ?? [];
  }
}

export interface EngineInfo {
  /** The engine's own id: two clusters of one name on two engines are told apart by it. */
  readonly id: string;
  readonly version: string;
  /** `Docker Desktop`, `Debian GNU/Linux 13`, `Rancher Desktop WSL Distribution`, … as the engine tells it. */
  readonly operatingSystem: string;
}

export interface ContainerSummary {
  readonly id: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Docker's word: created, running, paused, restarting, exited, dead. */
  readonly state: string;
}

export interface PublishedPort {
  readonly containerPort: number;
  readonly protocol: string;
  readonly hostIp: string;
  readonly hostPort: number;
}

export interface ContainerDetails extends ContainerSummary {
  readonly image: string;
  readonly running: boolean;
  readonly exitCode: number;
  /** Docker's own error text for a container that could not start; empty where there is none. */
  readonly error: string;
  /** ISO 8601, as Docker tells it; `0001-01-01T00:00:00Z` where it never happened. */
  readonly startedAt: string;
  readonly finishedAt: string;
  readonly hostname: string;
  readonly restartPolicy: { readonly name: string; readonly maximumRetryCount: number };
  /** Network name to the addresses in it; empty strings while the container does not run. */
  readonly networks: Readonly<
    Record<string, { readonly ipv4: string; readonly ipv6: string; readonly gateway: string }>
  >;
  /** The ports published now; falls back to the configured ones while the container does not run. */
  readonly ports: readonly PublishedPort[];
}

export interface NetworkDetails {
  readonly id: string;
  readonly name: string;
  readonly driver: string;
  readonly subnets: readonly string[];
  readonly gateways: readonly string[];
  /** Every container on it, those of other clusters and of no cluster included. */
  readonly members: readonly { readonly container: string; readonly ipv4: string; readonly ipv6: string }[];
}

export interface ExecRequest {
  readonly argv: readonly string[];
  /** Written to the command's standard input, which is then closed. */
  readonly stdin?: Uint8Array;
  readonly environment?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Called with each piece of standard output as it comes, for commands that run until aborted. */
  readonly onStdout?: (chunk: Buffer) => void;
}

export interface ExecResult {
  readonly exitCode: number;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}

export interface ArchiveFile {
  /** Path inside the archive, without leading slash. */
  readonly path: string;
  readonly type: 'file' | 'directory' | 'symlink' | 'other';
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** A symbolic link's contents is its target. */
  readonly contents: Buffer;
}

export interface EngineEvent {
  /** Docker's words: `container`, `network`, … and `start`, `die`, `connect`, … */
  readonly type: string;
  readonly action: string;
  readonly actor: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** Milliseconds since the epoch, by the engine's clock. */
  readonly time: number;
}

/** Every method rejects with an EngineError and nothing else. */
export interface Engine {
  readonly endpoint: string;
  /** The places looked at on the way to this engine; the last one is the one in use. */
  readonly attempts: readonly EndpointAttempt[];
  info(): Promise<EngineInfo>;
  /** All containers, stopped ones too, that carry every given label (value `undefined`: the key alone). */
  listContainers(labels: Readonly<Record<string, string | undefined>>): Promise<ContainerSummary[]>;
  inspectContainer(container: string): Promise<ContainerDetails>;
  /** Resolves also where the container runs already. */
  startContainer(container: string): Promise<void>;
  /** Resolves also where the container is stopped already. */
  stopContainer(container: string, graceSeconds: number): Promise<void>;
  setRestartPolicy(
    container: string,
    policy: { readonly name: string; readonly maximumRetryCount: number },
  ): Promise<void>;
  /** Resolves with the exit code and both streams, complete, whatever the exit code is. */
  exec(container: string, request: ExecRequest): Promise<ExecResult>;
  /** The file or the folder with all below it; works on stopped containers too. */
  getArchive(container: string, path: string): Promise<ArchiveFile[]>;
  putArchive(container: string, directory: string, files: readonly ArchiveFile[]): Promise<void>;
  inspectNetwork(network: string): Promise<NetworkDetails>;
  /** Ends when the signal aborts; rejects when the engine goes away. */
  events(signal: AbortSignal): AsyncIterable<EngineEvent>;
}
