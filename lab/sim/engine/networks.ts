import type { Interface, Network } from '../contracts.ts';
import type { AddressPool } from './addresses.ts';
import { createAddressPool } from './addresses.ts';
import type { ContainerRecord, Endpoint } from './container.ts';
import { isRunning } from './container.ts';
import type { EventLog } from './events.ts';
import { DockerRefusal } from './refusal.ts';

export interface NetworkSpec {
  readonly name: string;
  /** CIDR. */
  readonly subnet: string;
  /** The first address by default. */
  readonly gateway?: string;
  /** CIDR; without it the network has no IPv6. */
  readonly subnet6?: string;
  readonly gateway6?: string;
}

export interface NetworkRecord {
  readonly id: string;
  readonly spec: NetworkSpec;
  readonly createdAt: number;
  readonly pool: AddressPool;
  readonly pool6: AddressPool | undefined;
}

export interface NetworkTools {
  readonly makeId: () => string;
  readonly events: EventLog;
}

export function createNetwork(spec: NetworkSpec, id: string, createdAt: number): NetworkRecord {
  return {
    id,
    spec,
    createdAt,
    pool: createAddressPool(spec.subnet, spec.gateway),
    pool6: spec.subnet6 === undefined ? undefined : createAddressPool(spec.subnet6, spec.gateway6),
  };
}

export function describeInterfaces(record: ContainerRecord): Interface[] {
  return [...record.endpoints.values()]
    .filter((endpoint) => endpoint.id !== '')
    .map((endpoint) => ({
      network: endpoint.network.spec.name,
      device: endpoint.device,
      ipv4: endpoint.ipv4,
      ipv6: endpoint.ipv6,
      gateway: endpoint.network.pool.gateway,
    }));
}

/** Deals an address and a device; a device's number counts on as long as the container runs. */
export function raiseEndpoint(record: ContainerRecord, endpoint: Endpoint, tools: NetworkTools): void {
  endpoint.ipv4 = endpoint.network.pool.take();
  endpoint.ipv6 = endpoint.network.pool6?.take() ?? '';
  endpoint.id = tools.makeId();
  endpoint.device = `eth${record.nextDevice}`;
  record.nextDevice += 1;
  tools.events.write(describeNetworkEvent('connect', record, endpoint.network));
}

export function lowerEndpoint(record: ContainerRecord, endpoint: Endpoint, tools: NetworkTools): void {
  if (endpoint.id === '') return;
  endpoint.network.pool.free(endpoint.ipv4);
  if (endpoint.ipv6 !== '') endpoint.network.pool6?.free(endpoint.ipv6);
  Object.assign(endpoint, { id: '', device: '', ipv4: '', ipv6: '' });
  tools.events.write(describeNetworkEvent('disconnect', record, endpoint.network));
}

export function connect(network: NetworkRecord, record: ContainerRecord, tools: NetworkTools): void {
  const { name } = network.spec;
  if (record.endpoints.has(name)) {
    throw new DockerRefusal(403, `endpoint with name ${record.name} already exists in network ${name}`);
  }
  const endpoint: Endpoint = { network, id: '', device: '', ipv4: '', ipv6: '' };
  record.endpoints.set(name, endpoint);
  if (isRunning(record)) {
    raiseEndpoint(record, endpoint, tools);
    record.spec.guest.readdress(describeInterfaces(record));
  }
}

export function disconnect(network: NetworkRecord, record: ContainerRecord, tools: NetworkTools): void {
  const endpoint = record.endpoints.get(network.spec.name);
  if (endpoint === undefined) {
    throw new DockerRefusal(403, `container ${record.id} is not connected to network ${network.spec.name}`);
  }
  record.endpoints.delete(network.spec.name);
  if (isRunning(record)) {
    lowerEndpoint(record, endpoint, tools);
    record.spec.guest.readdress(describeInterfaces(record));
  }
}

/** By container name, host name, short id or address, as Docker's DNS and its bridge find it. */
export function resolveHost(records: Iterable<ContainerRecord>, host: string): ReturnType<Network['resolve']> {
  for (const record of records) {
    for (const { ipv4, ipv6 } of describeInterfaces(record)) {
      const names = [record.name, record.hostname, record.id.slice(0, 12), ipv4, ipv6];
      if (host !== '' && names.includes(host)) return { container: record.name, ipv4, ipv6 };
    }
  }
  return undefined;
}

function describeNetworkEvent(action: string, record: ContainerRecord, network: NetworkRecord) {
  const attributes = { container: record.id, name: network.spec.name, type: 'bridge' };
  return { type: 'network', action, actor: network.id, attributes };
}
