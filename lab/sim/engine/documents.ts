import { deriveMac } from './addresses.ts';
import type { ContainerRecord } from './container.ts';
import type { DockerEvent } from './events.ts';
import type { ExecRecord } from './exec.ts';
import type { NetworkRecord } from './networks.ts';

const NEVER = '0001-01-01T00:00:00Z';

export function describeNetwork(network: NetworkRecord, records: readonly ContainerRecord[]): object {
  const { pool, pool6 } = network;
  const members = records.flatMap((record) => {
    const endpoint = record.endpoints.get(network.spec.name);
    return endpoint === undefined || endpoint.id === '' ? [] : [{ record, endpoint }];
  });
  return {
    Name: network.spec.name,
    Id: network.id,
    Created: formatTime(network.createdAt),
    Scope: 'local',
    Driver: 'bridge',
    EnableIPv6: pool6 !== undefined,
    IPAM: {
      Driver: 'default',
      Options: {},
      Config: [pool, ...(pool6 === undefined ? [] : [pool6])].map((each) => ({
        Subnet: each.subnet,
        Gateway: each.gateway,
      })),
    },
    Internal: false,
    Attachable: false,
    Ingress: false,
    ConfigFrom: { Network: '' },
    ConfigOnly: false,
    Containers: Object.fromEntries(
      members.map(({ record, endpoint }) => [
        record.id,
        {
          Name: record.name,
          EndpointID: endpoint.id,
          MacAddress: deriveMac(endpoint.ipv4),
          IPv4Address: `${endpoint.ipv4}/${pool.prefixLength}`,
          IPv6Address: endpoint.ipv6 === '' ? '' : `${endpoint.ipv6}/${pool6?.prefixLength ?? 0}`,
        },
      ]),
    ),
    Options: {
      'com.docker.network.bridge.enable_ip_masquerade': 'true',
      'com.docker.network.driver.mtu': '1500',
    },
    Labels: {},
  };
}

export function describeExec(exec: ExecRecord): object {
  const [entrypoint = '', ...args] = exec.spec.argv;
  return {
    ID: exec.id,
    Running: exec.state === 'running',
    ExitCode: exec.exitCode,
    ProcessConfig: { tty: exec.spec.tty, entrypoint, arguments: args, privileged: false },
    OpenStdin: exec.spec.attachStdin,
    OpenStderr: exec.spec.attachStderr,
    OpenStdout: exec.spec.attachStdout,
    CanRemove: exec.state === 'ended',
    ContainerID: exec.container.id,
    DetachKeys: '',
    Pid: exec.state === 'running' ? exec.container.pid + 1 : 0,
  };
}

export function describeEvent(event: DockerEvent): object {
  const { image } = event.attributes;
  const legacy = event.type === 'container' ? { status: event.action, id: event.actor, from: image ?? '' } : {};
  return {
    ...legacy,
    Type: event.type,
    Action: event.action,
    Actor: { ID: event.actor, Attributes: event.attributes },
    scope: 'local',
    time: Math.floor(event.time / 1000),
    timeNano: Math.round(event.time) * 1_000_000,
  };
}

/** As Docker writes a time; what never happened has one too. Milliseconds since the epoch. */
export function formatTime(at: number | undefined): string {
  return at === undefined ? NEVER : new Date(at).toISOString();
}
