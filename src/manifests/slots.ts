import { isIP } from 'node:net';
import type { AddressSlot } from '../facts/node.ts';

/**
 * The places where a node's own files state its own address: those that kind's entrypoint rewrites at boot
 * (kind, images/base/files/usr/local/bin/entrypoint). Places of other nodes, such as their entries in
 * etcd's `--initial-cluster`, and loopback addresses are not among them.
 */
interface SlotPattern {
  readonly slot: string;
  /** The address is in the group named `address`; the whole match is the text that an edit replaces. */
  readonly pattern: (node: string) => RegExp;
}

const addressPattern = String.raw`\[?(?<address>[0-9a-fA-F:.]*[0-9a-fA-F])\]?`;

function flag(name: string): SlotPattern {
  return {
    slot: name,
    pattern: () => new RegExp(String.raw`(?<![\w-])${name}[=:]\s*"?${addressPattern}(?![\w.:])`, 'g'),
  };
}

/**
 * A flag with a comma-separated list of URLs, the loopback ones first as kubeadm writes them. The flag is part of the
 * text, since the same URL in another flag may be another node's.
 */
function urlInFlag(name: string): SlotPattern {
  const loopback = String.raw`(?:https?://(?:127\.[\d.]+|\[::1\]):\d+,)*`;
  return {
    slot: name,
    pattern: () => new RegExp(String.raw`(?<![\w-])${name}=${loopback}https?://${addressPattern}:\d+`, 'g'),
  };
}

const probeHost: SlotPattern = {
  slot: 'probe host',
  pattern: () => new RegExp(String.raw`\bhost: ["']?${addressPattern}(?![\w.:])`, 'g'),
};

/** Where dual-stack nodes state two addresses, each is a place of its own, the second one with its comma. */
function addressList(slot: string, before: string): SlotPattern[] {
  return [
    { slot, pattern: () => new RegExp(String.raw`${before}${addressPattern}(?![\w.:])`, 'g') },
    { slot, pattern: () => new RegExp(String.raw`(?<=${before}[^,\s"']+),${addressPattern}(?![\w.:])`, 'g') },
  ];
}

const patternsByFile: Readonly<Record<string, readonly SlotPattern[]>> = {
  '/etc/kubernetes/manifests/etcd.yaml': [
    urlInFlag('--advertise-client-urls'),
    urlInFlag('--initial-advertise-peer-urls'),
    urlInFlag('--listen-client-urls'),
    urlInFlag('--listen-peer-urls'),
    {
      slot: '--initial-cluster',
      pattern: (node) => new RegExp(String.raw`(?<=[=,])${escapePattern(node)}=https?://${addressPattern}:\d+`, 'g'),
    },
    {
      slot: 'annotation etcd.advertise-client-urls',
      pattern: () =>
        new RegExp(
          String.raw`kubeadm\.kubernetes\.io/etcd\.advertise-client-urls: ["']?https?://${addressPattern}:\d+`,
          'g',
        ),
    },
    probeHost,
  ],
  '/etc/kubernetes/manifests/kube-apiserver.yaml': [
    flag('--advertise-address'),
    {
      slot: 'annotation advertise-address.endpoint',
      pattern: () =>
        new RegExp(
          String.raw`kubeadm\.kubernetes\.io/kube-apiserver\.advertise-address\.endpoint: ["']?${addressPattern}:\d+`,
          'g',
        ),
    },
    probeHost,
  ],
  '/etc/kubernetes/manifests/kube-controller-manager.yaml': [probeHost],
  '/etc/kubernetes/manifests/kube-scheduler.yaml': [probeHost],
  '/kind/kubeadm.conf': [
    {
      slot: 'advertiseAddress',
      pattern: () => new RegExp(String.raw`\badvertiseAddress: ["']?${addressPattern}(?![\w.:])`, 'g'),
    },
    // v1beta3 writes extra arguments as a map, v1beta4 as a list of name and value.
    ...addressList('node-ip', String.raw`\bnode-ip: ["']?`),
    ...addressList('node-ip', String.raw`\bname: ["']?node-ip["']?\s+value: ["']?`),
  ],
  '/var/lib/kubelet/kubeadm-flags.env': addressList('--node-ip', '--node-ip='),
};

export const filesWithSlots: readonly string[] = Object.keys(patternsByFile);

/** Every own-address place of one file. Text that looks like an address and is none is left out. */
export function findAddressSlots(file: string, node: string, contents: string): AddressSlot[] {
  const slots: AddressSlot[] = [];
  for (const { slot, pattern } of patternsByFile[file] ?? []) {
    for (const match of contents.matchAll(pattern(node))) {
      const found = match.groups?.['address'] ?? '';
      if (isIP(found) === 0 || isLoopback(found)) continue;
      slots.push({ file, slot, address: found, text: match[0] });
    }
  }
  return slots;
}

/** The slot's text with another address in it. */
export function withAddress(slot: AddressSlot, address: string): string {
  const at = slot.text.lastIndexOf(slot.address);
  return slot.text.slice(0, at) + address + slot.text.slice(at + slot.address.length);
}

function isLoopback(found: string): boolean {
  return found.startsWith('127.') || found === '::1' || found === '0.0.0.0' || found === '::';
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\-]/g, String.raw`\$&`);
}
