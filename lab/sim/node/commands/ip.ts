import { type Command, parseArguments } from './command.ts';
import type { Interface } from '../../contracts.ts';

const forever = { valid_life_time: 4_294_967_295, preferred_life_time: 4_294_967_295 };

/** `ip [-j] [-4|-6] address [show] [up] [dev D]`, `ip [-4] route [show] [default]` */
export const ip: Command = ({ args, node, print, complain }) => {
  const { options, words } = parseArguments(args);
  const [object = '', ...rest] = words;
  const interfaces = node.interfaces();
  if ('route'.startsWith(object) && object !== '') {
    print(listRoutes(interfaces, rest.includes('default')));
    return 0;
  }
  if (object === '' || !'address'.startsWith(object)) {
    complain(`Object "${object}" is unknown, try "ip help".\n`);
    return 1;
  }
  const devices = [loopback, ...interfaces.map(describe)].filter(
    ({ ifname }) => !rest.includes('dev') || ifname === rest[rest.indexOf('dev') + 1],
  );
  const family = options.has('-4') ? 'inet' : options.has('-6') ? 'inet6' : undefined;
  const shown = devices.map((device) => ({
    ...device,
    addr_info: device.addr_info.filter((address) => family === undefined || address.family === family),
  }));
  print(options.has('-j') ? `${JSON.stringify(shown)}\n` : shown.map(printDevice).join(''));
  return 0;
};

interface Address {
  readonly family: 'inet' | 'inet6';
  readonly local: string;
  readonly prefixlen: number;
  readonly scope: string;
  readonly [key: string]: unknown;
}

const loopback = {
  ifindex: 1,
  ifname: 'lo',
  flags: ['LOOPBACK', 'UP', 'LOWER_UP'],
  mtu: 65_536,
  qdisc: 'noqueue',
  operstate: 'UNKNOWN',
  group: 'default',
  txqlen: 1000,
  link_type: 'loopback',
  address: '00:00:00:00:00:00',
  broadcast: '00:00:00:00:00:00',
  addr_info: [
    { family: 'inet', local: '127.0.0.1', prefixlen: 8, scope: 'host', label: 'lo', ...forever },
    { family: 'inet6', local: '::1', prefixlen: 128, scope: 'host', ...forever },
  ] as Address[],
};

function describe({ device, ipv4, ipv6 }: Interface, index: number) {
  const bytes = ipv4.split('.').map(Number);
  const hex = bytes.map((byte) => byte.toString(16).padStart(2, '0'));
  const word = (high: number, low: number) => (((bytes[high] ?? 0) << 8) | (bytes[low] ?? 0)).toString(16);
  const own: Address[] = [
    ...(ipv4 === ''
      ? []
      : [
          {
            family: 'inet' as const,
            local: ipv4,
            prefixlen: 16,
            broadcast: `${bytes.slice(0, 2).join('.')}.255.255`,
            scope: 'global',
            label: device,
            ...forever,
          },
        ]),
    ...(ipv6 === ''
      ? []
      : [
          { family: 'inet6' as const, local: ipv6, prefixlen: 64, scope: 'global', nodad: true, ...forever },
          {
            family: 'inet6' as const,
            local: `fe80::42:${hex[0]}ff:fe${hex[1]}:${word(2, 3)}`,
            prefixlen: 64,
            scope: 'link',
            ...forever,
          },
        ]),
  ];
  return {
    ifindex: 10 + 2 * index,
    link_index: 11 + 2 * index,
    ifname: device,
    flags: ['BROADCAST', 'MULTICAST', 'UP', 'LOWER_UP'],
    mtu: 1500,
    qdisc: 'noqueue',
    operstate: 'UP',
    group: 'default',
    link_type: 'ether',
    address: ['02', '42', ...hex].join(':'),
    broadcast: 'ff:ff:ff:ff:ff:ff',
    link_netnsid: 0,
    addr_info: own,
  };
}

function printDevice(device: Omit<ReturnType<typeof describe>, 'link_index' | 'link_netnsid'>): string {
  const { ifindex, ifname, flags, mtu, qdisc, operstate, group } = device;
  const lines = device.addr_info.map(
    ({ family, local, prefixlen, scope }) =>
      `    ${family} ${local}/${prefixlen} scope ${scope}${family === 'inet' ? ` ${ifname}` : ''}\n       valid_lft forever preferred_lft forever\n`,
  );
  return `${ifindex}: ${ifname}: <${flags.join(',')}> mtu ${mtu} qdisc ${qdisc} state ${operstate} group ${group}\n    link/${device.link_type} ${device.address} brd ${device.broadcast}\n${lines.join('')}`;
}

function listRoutes(interfaces: readonly Interface[], onlyDefault: boolean): string {
  const [first] = interfaces;
  if (first === undefined) return '';
  const network = first.ipv4.split('.').slice(0, 2).join('.');
  return [
    `default via ${first.gateway} dev ${first.device} \n`,
    ...(onlyDefault ? [] : [`${network}.0.0/16 dev ${first.device} proto kernel scope link src ${first.ipv4} \n`]),
  ].join('');
}
