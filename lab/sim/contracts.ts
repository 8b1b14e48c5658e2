/**
 * The joints of the simulated world. Each part knows the others by these types only:
 *
 *     engine/   Docker: containers, networks, addresses, and its API on a unix socket
 *     node/     what is inside a node's container: files, boot, commands
 *     cluster/  what runs there and what follows from it: kubelets, etcd, API servers, controllers, workloads
 *     api/      an API server's HTTPS front, and the objects behind it
 */

import type { Socket } from 'node:net';
import type { SimClock } from './clock.ts';
import type { FileSystem } from './files.ts';

/** Told by the servers of the world while they work on something, so that its time stands still meanwhile. */
export interface Activity {
  /** Answers the function that ends this piece of work. */
  begin(): () => void;
  /** To be told of each connection that a server accepts. */
  accept?(socket: Socket): void;
}

/** One network interface of a running container. IPv6 may be empty. */
export interface Interface {
  /** Docker's name of the network: `kind`. */
  readonly network: string;
  /** `eth0`, `eth1`, … */
  readonly device: string;
  readonly ipv4: string;
  readonly ipv6: string;
  readonly gateway: string;
}

/** What runs in a container, as Docker sees it. */
export interface Guest {
  /** The container's layer and volumes; kept while it is stopped. */
  readonly files: FileSystem;
  /**
   * The container's first process is started, with the addresses dealt to it. Answers the exit code where it ends at
   * once (an entrypoint that finds no address), else undefined.
   */
  boot(interfaces: readonly Interface[]): Promise<number | undefined>;
  /** All its processes are gone, whether told to stop or killed. /run and /tmp are empty afterwards. */
  halt(): void;
  /** The interfaces of the running container have become others. */
  readdress(interfaces: readonly Interface[]): void;
  /** Runs a command; resolves with its exit code (127 where there is no such command, 126 where it cannot be run). */
  exec(request: GuestExec): Promise<number>;
}

export interface GuestExec {
  readonly argv: readonly string[];
  readonly environment: readonly string[];
  /** Everything written to its standard input; resolves when that is closed. */
  readonly readStdin: () => Promise<Buffer>;
  readonly writeStdout: (bytes: Uint8Array | string) => void;
  readonly writeStderr: (bytes: Uint8Array | string) => void;
  /** Aborts when nobody is listening any more, or the container has stopped. */
  readonly signal: AbortSignal;
}

/** Who has which address: Docker's DNS and the way between containers. */
export interface Network {
  /** By container name, host name or address; undefined where no running container has it. */
  resolve(host: string): { readonly container: string; readonly ipv4: string; readonly ipv6: string } | undefined;
}

/** A systemd unit. Words as systemd's. */
export interface UnitState {
  readonly activeState: 'active' | 'inactive' | 'failed' | 'activating';
  readonly subState: string;
  readonly restarts: number;
  /** Milliseconds since the epoch. */
  readonly activeSince: number;
}

/** A container of the node's own runtime, as crictl shows it. */
export interface RuntimeContainer {
  /** 64 hexadecimal digits. */
  readonly id: string;
  readonly name: string;
  readonly podName: string;
  readonly podNamespace: string;
  readonly podUid: string;
  readonly image: string;
  readonly state: 'created' | 'running' | 'exited';
  readonly attempt: number;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly finishedAt: number | undefined;
  readonly exitCode: number | undefined;
  readonly log: readonly string[];
}

export type Unit = 'kubelet' | 'containerd';

/** What a booted node runs. Implemented in cluster/, asked by the commands in node/. */
export interface NodeProcesses {
  unit(unit: Unit): UnitState;
  /** Resolves when systemctl would return. */
  control(unit: Unit, verb: 'start' | 'stop' | 'restart' | 'reset-failed'): Promise<void>;
  /** All containers of the runtime, ended ones too; undefined while containerd does not answer. */
  containers(): readonly RuntimeContainer[] | undefined;
  /** As `crictl stop`: its kubelet will start another. Answers false where there is no such container. */
  stopContainer(idOrPrefix: string): Promise<boolean>;
  /** The journal of a unit, oldest line first. */
  journal(unit: Unit): readonly string[];
  /** The process id of this node's etcd; undefined where it does not run. */
  etcdPid(): number | undefined;
  /** What `etcdctl snapshot save` would write; an error's text where etcd does not answer. */
  etcdSnapshot(): { readonly ok: true; readonly bytes: Buffer } | { readonly ok: false; readonly reason: string };
  /**
   * One request to an API server, as `kubectl` and `curl` in this node make it: by host and port, with the files' own
   * credentials checked by the caller. `refused`: nobody listens there. `tls`: the certificate does not fit the host.
   */
  askApi(request: {
    readonly host: string;
    readonly port: number;
    readonly method: string;
    readonly path: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: Buffer;
    readonly signal?: AbortSignal;
  }): Promise<
    | { readonly ok: true; readonly status: number; readonly body: Buffer; readonly contentType: string }
    | { readonly ok: false; readonly why: 'refused' | 'tls' | 'timeout' | 'no-route'; readonly reason: string }
  >;
  /** Kernel settings of the host, one for all nodes: `fs.inotify.max_user_instances`, … */
  readonly sysctl: Map<string, string>;
  /** Called by node/ when the node has booted (after the entrypoint) and when it is halted. */
  up(): void;
  down(): void;
}

/** A node or load balancer as cluster/ sees it: made in node/, one per container. */
export interface NodeMachine {
  readonly name: string;
  readonly cluster: string;
  readonly role: 'control-plane' | 'worker' | 'external-load-balancer';
  readonly files: FileSystem;
  /** Empty while the container does not run. */
  interfaces(): readonly Interface[];
  running(): boolean;
}

/** A Kubernetes object, as its JSON. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly creationTimestamp?: string;
    readonly deletionTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly {
      readonly apiVersion: string;
      readonly kind: string;
      readonly name: string;
      readonly uid: string;
      readonly controller?: boolean;
    }[];
    readonly finalizers?: readonly string[];
    readonly [key: string]: unknown;
  };
  readonly spec?: unknown;
  readonly status?: unknown;
  readonly data?: unknown;
  readonly [key: string]: unknown;
}

export interface StoreEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: KubeObject;
  readonly revision: number;
}

/** What etcd holds: objects by resource (`nodes`, `pods`, `leases`, `deployments.apps` as `<plural>[.<group>]`). */
export interface ObjectStore {
  /** etcd's revision; rises with every write. */
  readonly revision: number;
  list(resource: string, namespace?: string): readonly KubeObject[];
  get(resource: string, namespace: string | undefined, name: string): KubeObject | undefined;
  /** Gives uid, creationTimestamp and resourceVersion. Throws an Error where it exists. */
  create(resource: string, object: KubeObject): KubeObject;
  /** Replaces it; nothing happens, and no revision passes, where nothing differs. Throws an Error where it does not exist. */
  update(resource: string, object: KubeObject): KubeObject;
  remove(resource: string, namespace: string | undefined, name: string): KubeObject | undefined;
  /** Every change after that revision, those that have already happened first. Throws a RangeError where that is too long ago. */
  watch(resource: string, since: number, listener: (event: StoreEvent) => void): () => void;
}

/** The API server that answers a connection at the moment. Made in cluster/, served by api/. */
export interface ApiServerState {
  readonly name: string;
  /** As the files said when it started. */
  readonly certificatePem: string;
  readonly privateKeyPem: string;
  /** Client certificates have to be signed by it. */
  readonly clientAuthorityPem: string;
  readonly store: ObjectStore;
  /** `lost`: lists come from its cache, writes and consistent reads are never answered, /readyz fails. */
  readonly etcd: 'ok' | 'lost';
  /** Names of further checks of /readyz that fail while it starts; empty when it is ready. */
  readonly unready: readonly string[];
}

/** Parts of the world that every maker of parts is given. */
export interface SimContext {
  readonly clock: SimClock;
  /** Between 0 and 1, from the seed. */
  readonly random: () => number;
  readonly network: Network;
}
