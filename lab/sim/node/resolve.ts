import { isIP } from 'node:net';
import type { Interface, Network } from '../contracts.ts';
import type { FileSystem } from '../files.ts';
import { dockerDns } from './files/docker.ts';

export interface ResolvedHost {
  readonly ipv4: readonly string[];
  readonly ipv6: readonly string[];
}

/** A name as the node's resolver answers it: /etc/hosts first, then Docker's name server. Undefined where it knows none. */
export function resolveHost(
  node: { readonly files: FileSystem; readonly network: Network; interfaces(): readonly Interface[] },
  host: string,
): ResolvedHost | undefined {
  const family = isIP(host);
  if (family !== 0) return { ipv4: family === 4 ? [host] : [], ipv6: family === 6 ? [host] : [] };
  const listed = readHosts(node.files.readText('/etc/hosts') ?? '').filter(({ names }) => names.includes(host));
  if (listed.length > 0) {
    const addresses = listed.map(({ address }) => address);
    return { ipv4: addresses.filter((one) => isIP(one) === 4), ipv6: addresses.filter((one) => isIP(one) === 6) };
  }
  if (!reachesDns(node.files, node.interfaces())) return undefined;
  const found = node.network.resolve(host);
  if (found === undefined) return undefined;
  return { ipv4: found.ipv4 === '' ? [] : [found.ipv4], ipv6: found.ipv6 === '' ? [] : [found.ipv6] };
}

/** Docker's server answers at its own address and, since the boot's rules, at the gateway's. */
function reachesDns(files: FileSystem, interfaces: readonly Interface[]): boolean {
  const server = /^nameserver\s+(\S+)/m.exec(files.readText('/etc/resolv.conf') ?? '')?.[1];
  return server === dockerDns || interfaces.some(({ gateway }) => gateway === server);
}

function readHosts(text: string): { readonly address: string; readonly names: readonly string[] }[] {
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    return names.length === 0 ? [] : [{ address, names }];
  });
}
