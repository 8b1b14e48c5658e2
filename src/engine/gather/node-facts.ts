import type {
  AddressSlot,
  CertificateFacts,
  ComponentFacts,
  KubeconfigFacts,
  NodeFacts,
  UnitFacts,
} from '../../facts/node.ts';
import { type Observed, seen, unseen } from '../../facts/observed.ts';
import { summarizeKubeconfig } from '../../kubeconfig/summarize.ts';
import { findAddressSlots } from '../../manifests/slots.ts';
import type { NodeOperation, NodeOperationResult } from '../../node/port.ts';
import { type CertificateDescription, describeCertificate, publicKeySha256OfPem } from '../../pki/certificates.ts';
import {
  adminConf,
  caCertificate,
  filesOf,
  foldersWithTemporaries,
  type GatheredNode,
  kubeletConf,
  type NodeQuestion,
  staticPods,
} from './node.ts';

export type CertificateReader = (pem: string) => Observed<CertificateDescription>;

/** Reads each certificate once: the authority's is the same on every node. */
export function makeCertificateReader(): CertificateReader {
  const known = new Map<string, Observed<CertificateDescription>>();
  return (pem) => {
    const described = known.get(pem) ?? describeCertificate(pem);
    known.set(pem, described);
    return described;
  };
}

interface Answers {
  text(path: string): Observed<string>;
  /** The standard output of a command that ended with 0, by its first words. */
  output(...start: string[]): Observed<string>;
  /** What the folders hold of the names asked for, by path; a folder that is not there holds nothing. */
  entries(directories: readonly string[]): Observed<string[]>;
}

function index(operations: readonly NodeOperation[], results: readonly NodeOperationResult[]): Answers {
  const find = (match: (operation: NodeOperation) => boolean): NodeOperationResult | undefined =>
    results[operations.findIndex(match)];
  const failure = (result: NodeOperationResult | undefined) =>
    unseen(result !== undefined && !result.ok ? result.reason : 'not looked at');
  return {
    text(path) {
      const result = find((operation) => operation.op === 'read' && operation.path === path);
      return result?.ok === true && result.op === 'read'
        ? seen(result.file.contents.toString('utf8'))
        : failure(result);
    },
    output(...start) {
      const result = find(
        (operation) => operation.op === 'run' && start.every((word, place) => operation.argv[place] === word),
      );
      if (result?.ok !== true || result.op !== 'run') return failure(result);
      if (result.exitCode === 0) return seen(result.stdout.toString('utf8'));
      const told = result.stderr.toString('utf8').trim().split('\n').at(-1) ?? '';
      return unseen(`${start.join(' ')} ended with exit code ${result.exitCode}${told === '' ? '' : `: ${told}`}`);
    },
    entries(directories) {
      const paths: string[] = [];
      for (const directory of directories) {
        const result = find((operation) => operation.op === 'list-directory' && operation.directory === directory);
        if (result?.ok === true && result.op === 'list-directory') {
          paths.push(...result.entries.map(({ name }) => `${directory}/${name}`));
        } else if (result?.ok !== false || result.why !== 'missing') return failure(result);
      }
      return seen(paths);
    },
  };
}

/** What the answers to `listOperations` say. `hostTime`: this host's time when they were given, in milliseconds. */
export function readNode(
  { name, role, running, endpointName }: NodeQuestion,
  operations: readonly NodeOperation[],
  results: readonly NodeOperationResult[],
  hostTime: number,
  describe: CertificateReader = describeCertificate,
): GatheredNode {
  const answers = index(operations, results);
  const certificate = (text: Observed<string>) => describeWith(describe, text);
  const admin = answers.text(adminConf);
  const isControlPlane = role === 'control-plane';
  const slots: AddressSlot[] = [];
  const unreadFiles: Record<string, string> = {};
  for (const path of filesOf(role)) {
    const text = answers.text(path);
    if (text.ok) slots.push(...findAddressSlots(path, name, text.value));
    else unreadFiles[path] = text.reason;
  }
  const entrypoint = answers.text('/usr/local/bin/entrypoint');
  const notHere = unseen('workers have none');
  const facts: NodeFacts = {
    name,
    role,
    readBy: running ? 'exec' : 'archive',
    recordedIpv4: trimmed(answers.text('/kind/old-ipv4')),
    recordedIpv6: trimmed(answers.text('/kind/old-ipv6')),
    // kind v0.30 added the file to those that the entrypoint rewrites.
    entrypointRewritesKubeletConf: entrypoint.ok ? seen(entrypoint.value.includes(kubeletConf)) : entrypoint,
    kubeconfigs: {
      kubelet: summarize(answers.text(kubeletConf)),
      controllerManager: isControlPlane ? summarize(answers.text('/etc/kubernetes/controller-manager.conf')) : notHere,
      scheduler: isControlPlane ? summarize(answers.text('/etc/kubernetes/scheduler.conf')) : notHere,
      admin: isControlPlane ? summarize(admin) : notHere,
    },
    addressSlots: slots,
    unreadFiles,
    interfaces: readInterfaces(answers.output('ip')),
    resolved: { [endpointName]: readResolved(answers.output('getent')) },
    certificates: {
      ca: certificate(answers.text(caCertificate)),
      apiserver: isControlPlane ? certificate(answers.text('/etc/kubernetes/pki/apiserver.crt')) : notHere,
    },
    apiserverKeySha256: isControlPlane ? publicKey(answers.output('openssl')) : notHere,
    ...readUnits(answers.output('systemctl')),
    kubeletDialErrors: readDialErrors(answers.output('journalctl')),
    components: isControlPlane ? readComponents(answers.output('crictl')) : notHere,
    leftovers: running ? answers.entries(foldersWithTemporaries) : unseen('the container does not run'),
    clockAheadMs: readClock(answers.output('date'), hostTime),
  };
  return { facts: seen(facts), adminConf: admin.ok ? admin.value : undefined };
}

function trimmed(text: Observed<string>): Observed<string> {
  if (!text.ok) return text;
  const value = text.value.trim();
  return value === '' ? unseen('the file is empty') : seen(value);
}

function summarize(text: Observed<string>): Observed<KubeconfigFacts> {
  if (!text.ok) return text;
  const summary = summarizeKubeconfig(text.value);
  if (!summary.ok) return summary;
  const { server, host, hostIsAddress, serverText, caSha256 } = summary.value;
  return seen({ server, host, hostIsAddress, serverText, caSha256: caSha256 ?? null });
}

function describeWith(describe: CertificateReader, text: Observed<string>): Observed<CertificateFacts> {
  if (!text.ok) return text;
  const described = describe(text.value);
  if (!described.ok) return described;
  const { subject, issuer, notBefore, notAfter, dnsNames, ipAddresses, sha256, publicKeySha256 } = described.value;
  return seen({ subject, issuer, notBefore, notAfter, dnsNames, ipAddresses, sha256, publicKeySha256 });
}

function publicKey(output: Observed<string>): Observed<string> {
  return output.ok ? publicKeySha256OfPem(output.value) : output;
}

interface IpAddressLine {
  readonly ifname?: string;
  readonly addr_info?: readonly { readonly local?: string; readonly scope?: string }[];
}

/** `ip -j address`: the node's own interfaces; those of pods (veth, bridges) and loopback are not asked for. */
function readInterfaces(output: Observed<string>): NodeFacts['interfaces'] {
  if (!output.ok) return output;
  const lines = parseJson<readonly IpAddressLine[]>(output.value);
  if (lines === undefined) return unseen('ip -j address answered something that is not JSON');
  return seen(
    lines
      .filter(({ ifname = '' }) => /^(eth|en)/.test(ifname))
      .map(({ ifname = '', addr_info: addresses = [] }) => ({
        name: ifname,
        addresses: addresses.filter(({ scope }) => scope === 'global').flatMap(({ local }) => local ?? []),
      })),
  );
}

/** `getent ahosts`: one line per address and socket type. */
function readResolved(output: Observed<string>): Observed<string[]> {
  if (!output.ok) return output.reason.includes('exit code 2') ? seen([]) : output;
  return seen([...new Set(output.value.split('\n').flatMap((line) => line.trim().split(/\s+/)[0] || []))]);
}

function readUnits(output: Observed<string>): Pick<NodeFacts, 'kubelet' | 'containerd'> {
  if (!output.ok) return { kubelet: output, containerd: output };
  const blocks = output.value
    .split(/\n\s*\n/)
    .map(
      (block) =>
        new Map(block.split('\n').map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)])),
    );
  const find = (id: string): Observed<UnitFacts> => {
    const block = blocks.find((entries) => entries.get('Id') === `${id}.service`);
    if (block === undefined) return unseen(`systemctl says nothing of ${id}`);
    return seen({
      activeState: block.get('ActiveState') ?? '',
      subState: block.get('SubState') ?? '',
      restarts: Number(block.get('NRestarts') ?? 0),
      activeSince: block.get('ActiveEnterTimestamp') ?? '',
    });
  };
  return { kubelet: find('kubelet'), containerd: find('containerd') };
}

/** The newest lines about connections that failed; the rest of the log is not ours to keep. */
function readDialErrors(output: Observed<string>): NodeFacts['kubeletDialErrors'] {
  if (!output.ok) return output;
  const lines = output.value.split('\n').flatMap(
    (line) =>
      /dial tcp [^"]*?: (connect: [a-z]+( [a-z]+)*|i\/o timeout)|x509: [^"]*|node IP: \\?"[^"\\]*\\?" not found[^"]*/
        .exec(line)?.[0]
        // The log quotes a message that has quotes in it.
        .replaceAll('\\"', '"')
        .trimEnd() ?? [],
  );
  return seen([...new Set(lines)].slice(-3));
}

interface CrictlContainers {
  readonly containers?: readonly {
    readonly metadata?: { readonly name?: string; readonly attempt?: number };
    readonly state?: string;
    readonly createdAt?: string;
  }[];
}

function readComponents(output: Observed<string>): Observed<ComponentFacts[]> {
  if (!output.ok) return output;
  const list = parseJson<CrictlContainers>(output.value)?.containers;
  if (list === undefined) return unseen('crictl answered something that is not a list of containers');
  const newest = new Map<string, ComponentFacts & { readonly created: bigint }>();
  for (const { metadata, state = '', createdAt = '0' } of list) {
    const name = metadata?.name ?? '';
    const created = BigInt(createdAt);
    if (!staticPods.includes(name) || (newest.get(name)?.created ?? -1n) >= created) continue;
    newest.set(name, {
      name,
      state: state.replace('CONTAINER_', '').toLowerCase(),
      attempt: metadata?.attempt ?? 0,
      createdAt: new Date(Number(created / 1_000_000n)).toISOString(),
      created,
    });
  }
  return seen([...newest.values()].map(({ name, state, attempt, createdAt }) => ({ name, state, attempt, createdAt })));
}

function readClock(output: Observed<string>, hostTime: number): Observed<number> {
  if (!output.ok) return output;
  const time = Number(output.value.trim());
  return Number.isFinite(time) && time > 0
    ? seen(Math.round(time - hostTime))
    : unseen('date answered something that is not a time');
}

function parseJson<T>(text: string): T | undefined {
  try {
    return JSON.parse(text) as T;
  } catch {
    return undefined;
  }
}
