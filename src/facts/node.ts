import * as z from 'zod';
import { observed } from './observed-schema.ts';

/** A kubeconfig inside a node (kubelet.conf, controller-manager.conf, …) without its secrets. */
export const kubeconfigFacts = z
  .object({
    server: z.string(),
    host: z.string(),
    hostIsAddress: z.boolean(),
    /** Key and value exactly as in the file, for an edit that touches nothing else. */
    serverText: z.string(),
    /** SHA-256 of the certificate authority's DER, hex; null where the file names a path instead. */
    caSha256: z.string().nullable(),
  })
  .readonly();
export type KubeconfigFacts = z.infer<typeof kubeconfigFacts>;

/** A place in a node's files that states the node's own address. */
export const addressSlot = z
  .object({
    file: z.string(),
    /** For people: `--advertise-address`, `node-ip`, `localAPIEndpoint.advertiseAddress`, … */
    slot: z.string(),
    address: z.string(),
    /** The exact piece of the file that holds the address, specific enough to be replaced by itself. */
    text: z.string(),
  })
  .readonly();
export type AddressSlot = z.infer<typeof addressSlot>;

export const certificateFacts = z
  .object({
    subject: z.string(),
    issuer: z.string(),
    /** ISO 8601. */
    notBefore: z.string(),
    notAfter: z.string(),
    dnsNames: z.array(z.string()).readonly(),
    ipAddresses: z.array(z.string()).readonly(),
    sha256: z.string(),
    publicKeySha256: z.string(),
  })
  .readonly();
export type CertificateFacts = z.infer<typeof certificateFacts>;

/** A static pod's newest container, as the container runtime in the node sees it. */
export const componentFacts = z
  .object({
    name: z.string(),
    /** `running`, `exited`, `created`, `unknown`. */
    state: z.string(),
    /** The attempt number: how often the kubelet has made this container again. */
    attempt: z.number(),
    /** ISO 8601 by the node's clock. */
    createdAt: z.string(),
  })
  .readonly();
export type ComponentFacts = z.infer<typeof componentFacts>;

export const unitFacts = z
  .object({ activeState: z.string(), subState: z.string(), restarts: z.number(), activeSince: z.string() })
  .readonly();
export type UnitFacts = z.infer<typeof unitFacts>;

/** Layers "node files", "certificates" and "kubelet": one node's inside. */
export const nodeFacts = z
  .object({
    name: z.string(),
    role: z.enum(['control-plane', 'worker']),
    /** `exec` on a running container, `archive` on a stopped one, where commands have no answer. */
    readBy: z.enum(['exec', 'archive']),
    /** /kind/old-ipv4 and -ipv6: the address that the entrypoint took the node to have at its last boot. */
    recordedIpv4: observed(z.string()),
    recordedIpv6: observed(z.string()),
    /** Whether this image's entrypoint mends kubelet.conf at boot (kind >= v0.30). */
    entrypointRewritesKubeletConf: observed(z.boolean()),
    kubeconfigs: z
      .object({
        kubelet: observed(kubeconfigFacts),
        controllerManager: observed(kubeconfigFacts),
        scheduler: observed(kubeconfigFacts),
        admin: observed(kubeconfigFacts),
      })
      .readonly(),
    /** Every own-address place found in manifests, kubeadm.conf and kubeadm-flags.env. */
    addressSlots: z.array(addressSlot).readonly(),
    /** Files that should hold such places and could not be read, with the reason. */
    unreadFiles: z.record(z.string(), z.string()).readonly(),
    /** The addresses of the network interfaces, loopback and pod bridges left out. */
    interfaces: observed(
      z.array(z.object({ name: z.string(), addresses: z.array(z.string()).readonly() }).readonly()).readonly(),
    ),
    /** Host names asked of the node's resolver, with the addresses it answers; none where it does not know the name. */
    resolved: z.record(z.string(), observed(z.array(z.string()).readonly())).readonly(),
    certificates: z.object({ ca: observed(certificateFacts), apiserver: observed(certificateFacts) }).readonly(),
    /** SHA-256 of the public half of apiserver.key. */
    apiserverKeySha256: observed(z.string()),
    kubelet: observed(unitFacts),
    containerd: observed(unitFacts),
    /** Recent lines of the kubelet's log that tell of a failed connection, newest last. */
    kubeletDialErrors: observed(z.array(z.string()).readonly()),
    components: observed(z.array(componentFacts).readonly()),
    /** Temporary files of interrupted runs. */
    leftovers: observed(z.array(z.string()).readonly()),
    /** Milliseconds by which the node's clock is ahead of this host's, to about the length of one call. */
    clockAheadMs: observed(z.number()),
  })
  .readonly();

export type NodeFacts = z.infer<typeof nodeFacts>;
