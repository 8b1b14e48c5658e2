import type { ContainerInfo, ContainerInspectInfo, NetworkInspectInfo } from 'dockerode';
import type { ContainerDetails, ContainerSummary, NetworkDetails, PublishedPort } from './port.ts';

/** Docker's documents in, the port's types out. Fields that some engines leave out are read with care. */

export function describeSummary(info: ContainerInfo): ContainerSummary {
  // A legacy link adds names with a second slash in them.
  const own = info.Names.find((name) => name.lastIndexOf('/') <= 0) ?? info.Names[0] ?? '';
  return { id: info.Id, name: stripSlash(own), labels: info.Labels ?? {}, state: info.State };
}

export function describeContainer(info: ContainerInspectInfo): ContainerDetails {
  const policy = info.HostConfig.RestartPolicy;
  const networks = Object.entries(info.NetworkSettings.Networks ?? {}).map(([name, network]) => [
    name,
    { ipv4: network.IPAddress ?? '', ipv6: network.GlobalIPv6Address ?? '', gateway: network.Gateway ?? '' },
  ]);
  const published = describePorts(info.NetworkSettings.Ports ?? {});
  return {
    id: info.Id,
    name: stripSlash(info.Name),
    labels: info.Config.Labels ?? {},
    state: info.State.Status,
    image: info.Config.Image,
    running: info.State.Running,
    exitCode: info.State.ExitCode,
    error: info.State.Error ?? '',
    startedAt: info.State.StartedAt,
    finishedAt: info.State.FinishedAt,
    hostname: info.Config.Hostname ?? '',
    // Docker writes no policy as an empty name or as "no".
    restartPolicy: { name: policy?.Name || 'no', maximumRetryCount: policy?.MaximumRetryCount ?? 0 },
    networks: Object.fromEntries(networks),
    ports: published.length > 0 || info.State.Running ? published : describePorts(info.HostConfig.PortBindings ?? {}),
  };
}

export function describeNetwork(info: NetworkInspectInfo): NetworkDetails {
  const pools = info.IPAM?.Config ?? [];
  return {
    id: info.Id,
    name: info.Name,
    driver: info.Driver,
    subnets: pools.flatMap((pool) => pool.Subnet ?? []),
    gateways: pools.flatMap((pool) => pool.Gateway ?? []),
    members: Object.values(info.Containers ?? {}).map((member) => ({
      container: member.Name,
      ipv4: stripLength(member.IPv4Address),
      ipv6: stripLength(member.IPv6Address),
    })),
  };
}

type Bindings = Readonly<Record<string, readonly { HostIp?: string; HostPort?: string }[] | null>>;

function describePorts(bindings: Bindings): PublishedPort[] {
  return Object.entries(bindings).flatMap(([port, hosts]) => {
    const [number, protocol = 'tcp'] = port.split('/');
    return (hosts ?? [])
      .map((host) => ({
        containerPort: Number(number),
        protocol,
        hostIp: host.HostIp ?? '',
        hostPort: Number(host.HostPort ?? 0),
      }))
      .filter((one) => one.hostPort > 0); // A port still to be dealt by the engine is written as 0 or as nothing.
  });
}

function stripSlash(name: string): string {
  return name.replace(/^\//, '');
}

/** `172.18.0.2/16` to `172.18.0.2`. */
function stripLength(address: string | undefined): string {
  return (address ?? '').split('/')[0] ?? '';
}
