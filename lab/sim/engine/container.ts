import type { Guest } from '../contracts.ts';
import type { NetworkRecord } from './networks.ts';

export interface RestartPolicy {
  readonly name: 'no' | 'always' | 'unless-stopped' | 'on-failure';
  /** Of `on-failure` only; 0 means without end. */
  readonly maximumRetryCount: number;
}

export interface PortBinding {
  readonly containerPort: number;
  /** `tcp` by default. */
  readonly protocol?: string;
  readonly hostIp: string;
  readonly hostPort: number;
}

export interface Mount {
  readonly type: 'bind' | 'volume';
  /** A host path, or a volume's name. */
  readonly source: string;
  readonly destination: string;
  readonly readOnly: boolean;
}

/** How the first process takes a polite stop. */
export interface Shutdown {
  /** Milliseconds from the signal to the end. */
  readonly afterMs: number;
  readonly exitCode: number;
}

export interface ContainerSpec {
  readonly name: string;
  readonly image: string;
  readonly guest: Guest;
  readonly labels?: Readonly<Record<string, string>>;
  /** The first 12 digits of the id by default, as Docker does it. */
  readonly hostname?: string;
  /** Names of networks; the first one is the container's network mode. `kind` by default. */
  readonly networks?: readonly string[];
  readonly ports?: readonly PortBinding[];
  readonly restartPolicy?: RestartPolicy;
  /** Entrypoint first. kind's own by default. */
  readonly command?: readonly string[];
  readonly environment?: readonly string[];
  readonly mounts?: readonly Mount[];
  readonly stopSignal?: string;
  /** `ignored`: killed after the grace period, like a `sleep` that is process 1. A kind node's by default. */
  readonly shutdown?: Shutdown | 'ignored';
  readonly autoRemove?: boolean;
}

export type ContainerStatus = 'created' | 'running' | 'restarting' | 'exited';

/** A container as hooks and callers see it; its values change as the container's state does. */
export interface Container {
  readonly id: string;
  readonly name: string;
  readonly spec: ContainerSpec;
  readonly status: ContainerStatus;
  /** Of the last end; 0 before the first one and while it runs. */
  readonly exitCode: number;
  readonly restartCount: number;
  readonly restartPolicy: RestartPolicy;
}

export interface Endpoint {
  readonly network: NetworkRecord;
  /** Empty strings, as in Docker's documents, while the container does not run. */
  id: string;
  device: string;
  ipv4: string;
  ipv6: string;
}

/** What Docker keeps of a container. Changed by lifecycle.ts and networks.ts only. */
export interface ContainerRecord extends Container {
  readonly createdAt: number;
  readonly hostname: string;
  readonly imageId: string;
  status: ContainerStatus;
  exitCode: number;
  error: string;
  restartCount: number;
  restartPolicy: RestartPolicy;
  pid: number;
  startedAt: number | undefined;
  finishedAt: number | undefined;
  /** By network name, in the order of connection. */
  readonly endpoints: Map<string, Endpoint>;
  /** Number of the next `ethN`; counts on while the container runs. */
  nextDevice: number;
  /** Told to stop by a person: `unless-stopped` heeds it over a restart of the engine. */
  stoppedByHand: boolean;
  /** Aborts when this life of the container is over. */
  life: AbortController;
  /** Calls off a restart that is due. */
  cancelRestart: (() => void) | undefined;
  /** Milliseconds until the next restart by policy. */
  backoffMs: number;
}

/** systemd ends with 130 on kind's stop signal. */
export const KIND_SHUTDOWN: Shutdown = { afterMs: 1_200, exitCode: 130 };

export const KIND_COMMAND: readonly string[] = ['/usr/local/bin/entrypoint', '/sbin/init'];

export const NO_RESTART: RestartPolicy = { name: 'no', maximumRetryCount: 0 };

export function isRunning(record: ContainerRecord): boolean {
  return record.status === 'running';
}
