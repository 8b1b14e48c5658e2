import type { ContainerRecord, Endpoint, PortBinding } from './container.ts';
import { isRunning, KIND_COMMAND } from './container.ts';
import { deriveMac } from './addresses.ts';
import { formatTime } from './documents.ts';

/** Docker's JSON documents of containers, by engine 26.1. Fields that nobody could act on in the model have the engine's defaults. */

export function describeContainer(record: ContainerRecord): object {
  const { spec } = record;
  const [path = '', ...args] = spec.command ?? KIND_COMMAND;
  const bindings = describeBindings(spec.ports ?? []);
  const exposed = Object.keys(bindings);
  return {
    Id: record.id,
    Created: formatTime(record.createdAt),
    Path: path,
    Args: args,
    State: {
      Status: record.status,
      Running: isRunning(record) || record.status === 'restarting',
      Paused: false,
      Restarting: record.status === 'restarting',
      OOMKilled: false,
      Dead: false,
      Pid: record.pid,
      ExitCode: record.exitCode,
      Error: record.error,
      StartedAt: formatTime(record.startedAt),
      FinishedAt: formatTime(record.finishedAt),
    },
    Image: record.imageId,
    Name: `/${record.name}`,
    RestartCount: record.restartCount,
    Driver: 'overlay2',
    Platform: 'linux',
    MountLabel: '',
    ProcessLabel: '',
    AppArmorProfile: '',
    ExecIDs: null,
    HostConfig: {
      Binds: describeBinds(record),
      LogConfig: { Type: 'json-file', Config: {} },
      NetworkMode: networkMode(record),
      PortBindings: bindings,
      RestartPolicy: {
        Name: record.restartPolicy.name,
        MaximumRetryCount: record.restartPolicy.maximumRetryCount,
      },
      AutoRemove: spec.autoRemove ?? false,
      Dns: [],
      ExtraHosts: null,
      IpcMode: 'private',
      CgroupnsMode: 'private',
      Privileged: true,
      ReadonlyRootfs: false,
      SecurityOpt: ['seccomp=unconfined', 'apparmor=unconfined', 'label=disable'],
      Tmpfs: { '/run': '', '/tmp': '' },
      ShmSize: 67108864,
      Runtime: 'runc',
      Memory: 0,
      NanoCpus: 0,
      Init: false,
    },
    Mounts: describeMounts(record),
    Config: {
      Hostname: record.hostname,
      Domainname: '',
      User: '',
      AttachStdin: false,
      AttachStdout: false,
      AttachStderr: false,
      ...(exposed.length > 0 ? { ExposedPorts: Object.fromEntries(exposed.map((port) => [port, {}])) } : {}),
      Tty: true,
      OpenStdin: false,
      StdinOnce: false,
      Env: spec.environment ?? [],
      Cmd: [],
      Image: spec.image,
      WorkingDir: '',
      Entrypoint: [path, ...args],
      OnBuild: null,
      Labels: spec.labels ?? {},
      StopSignal: spec.stopSignal ?? 'SIGRTMIN+3',
    },
    NetworkSettings: {
      Bridge: '',
      SandboxID: '',
      SandboxKey: '',
      Ports: isRunning(record) ? bindings : {},
      Networks: describeEndpoints(record, [record.name, record.id.slice(0, 12)]),
    },
  };
}

/** @param now Milliseconds since the epoch. */
export function summarizeContainer(record: ContainerRecord, now: number): object {
  const ports = isRunning(record) ? (record.spec.ports ?? []) : [];
  return {
    Id: record.id,
    Names: [`/${record.name}`],
    Image: record.spec.image,
    ImageID: record.imageId,
    Command: (record.spec.command ?? KIND_COMMAND).join(' '),
    Created: Math.floor(record.createdAt / 1000),
    Ports: ports.map((port) => ({
      IP: port.hostIp,
      PrivatePort: port.containerPort,
      PublicPort: port.hostPort,
      Type: port.protocol ?? 'tcp',
    })),
    Labels: record.spec.labels ?? {},
    State: record.status,
    Status: describeStatus(record, now),
    HostConfig: { NetworkMode: networkMode(record) },
    NetworkSettings: { Networks: describeEndpoints(record, null) },
    Mounts: describeMounts(record),
  };
}

function describeEndpoints(record: ContainerRecord, dnsNames: readonly string[] | null): object {
  return Object.fromEntries(
    [...record.endpoints].map(([name, endpoint]) => [name, describeEndpoint(endpoint, dnsNames)]),
  );
}

function describeEndpoint(endpoint: Endpoint, dnsNames: readonly string[] | null): object {
  const { pool, pool6 } = endpoint.network;
  const up = endpoint.id !== '';
  const up6 = endpoint.ipv6 !== '';
  return {
    IPAMConfig: {},
    Links: null,
    Aliases: dnsNames === null ? null : [],
    MacAddress: up ? deriveMac(endpoint.ipv4) : '',
    NetworkID: endpoint.network.id,
    EndpointID: endpoint.id,
    Gateway: up ? pool.gateway : '',
    IPAddress: endpoint.ipv4,
    IPPrefixLen: up ? pool.prefixLength : 0,
    IPv6Gateway: up6 ? (pool6?.gateway ?? '') : '',
    GlobalIPv6Address: endpoint.ipv6,
    GlobalIPv6PrefixLen: up6 ? (pool6?.prefixLength ?? 0) : 0,
    DriverOpts: null,
    DNSNames: dnsNames,
  };
}

function describeBindings(ports: readonly PortBinding[]): Record<string, { HostIp: string; HostPort: string }[]> {
  const bindings: Record<string, { HostIp: string; HostPort: string }[]> = {};
  for (const port of ports) {
    const key = `${port.containerPort}/${port.protocol ?? 'tcp'}`;
    bindings[key] = [...(bindings[key] ?? []), { HostIp: port.hostIp, HostPort: String(port.hostPort) }];
  }
  return bindings;
}

function describeBinds(record: ContainerRecord): string[] {
  return (record.spec.mounts ?? [])
    .filter((mount) => mount.type === 'bind')
    .map((mount) => `${mount.source}:${mount.destination}${mount.readOnly ? ':ro' : ''}`);
}

function describeMounts(record: ContainerRecord): object[] {
  return (record.spec.mounts ?? []).map((mount) => ({
    Type: mount.type,
    ...(mount.type === 'volume' ? { Name: mount.source, Driver: 'local' } : {}),
    Source: mount.type === 'volume' ? `/var/lib/docker/volumes/${mount.source}/_data` : mount.source,
    Destination: mount.destination,
    Mode: mount.readOnly ? 'ro' : '',
    RW: !mount.readOnly,
    Propagation: mount.type === 'bind' ? 'rprivate' : '',
  }));
}

function networkMode(record: ContainerRecord): string {
  return (record.spec.networks ?? ['kind'])[0] ?? 'none';
}

function describeStatus(record: ContainerRecord, now: number): string {
  const since = (at: number | undefined) => describeDuration(now - (at ?? now));
  switch (record.status) {
    case 'created':
      return 'Created';
    case 'running':
      return `Up ${since(record.startedAt)}`;
    case 'restarting':
      return `Restarting (${record.exitCode}) ${since(record.finishedAt)} ago`;
    case 'exited':
      return `Exited (${record.exitCode}) ${since(record.finishedAt)} ago`;
  }
}

/** As Docker words it: units.HumanDuration. */
function describeDuration(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  if (seconds < 1) return 'Less than a second';
  if (seconds === 1) return '1 second';
  if (seconds < 60) return `${seconds} seconds`;
  const minutes = Math.floor(seconds / 60);
  if (minutes === 1) return 'About a minute';
  if (minutes < 60) return `${minutes} minutes`;
  const hours = Math.round(minutes / 60);
  if (hours === 1) return 'About an hour';
  if (hours < 48) return `${hours} hours`;
  if (hours < 24 * 14) return `${Math.floor(hours / 24)} days`;
  return hours < 24 * 60 ? `${Math.floor(hours / 24 / 7)} weeks` : `${Math.floor(hours / 24 / 30)} months`;
}
