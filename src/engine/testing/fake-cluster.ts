import type { ContainerFacts } from '../../facts/containers.ts';
import { addressOf, cluster, fileValues, makeFacts, type Topology } from '../../facts/testing/facts.ts';
import {
  flagsFile,
  kubeadmFile,
  manifestFolder,
  renderKubeconfig,
  renderNodeFiles,
} from '../../facts/testing/node-files.ts';
import { type Authority, issueCertificate, makeAuthority } from '../../pki/testing/issue.ts';
import type { ManualClock } from './clock.ts';
import { type CommandAnswer, type FakeFiles, printPublicKey, readText, textFile } from './fake-node.ts';

/** A container as the engine has it; kubelet and controllers as what they read when they last started. */
export interface FakeContainer {
  facts: ContainerFacts;
  readonly files: FakeFiles;
  kubelet: { active: boolean; server: string; nodeIp: string; broken: boolean };
  controllers: Record<'kube-controller-manager' | 'kube-scheduler', { server: string; renewedAt: number }>;
  object: { ready: boolean; address: string; renewedAt: number };
}

export const kubeletConf = '/etc/kubernetes/kubelet.conf';
export const entrypointOf29 =
  '#!/bin/bash\n# rewrites manifests, kubeadm.conf, controller-manager.conf and scheduler.conf\n';
const controllerFiles = {
  'kube-controller-manager': '/etc/kubernetes/controller-manager.conf',
  'kube-scheduler': '/etc/kubernetes/scheduler.conf',
} as const;
type Controller = keyof typeof controllerFiles;

/** After so long the control plane gives a kubelet up. Milliseconds. */
const leaseMs = 40_000;

/**
 * A cluster as far as healing goes: what a node's files say decides whether etcd, the API server, kubelets and
 * controllers reach each other. IPv4 alone; static pods follow their manifests at once.
 */
export type FakeCluster = Awaited<ReturnType<typeof makeCluster>>;

export async function makeCluster(topology: Topology, clock: ManualClock) {
  const ca = await makeAuthority();
  const healthy = makeFacts(topology);
  const list = healthy.containers.ok ? healthy.containers.value : [];
  const containers = new Map<string, FakeContainer>();
  for (const facts of list) {
    containers.set(facts.name, {
      facts,
      files: new Map(),
      kubelet: { active: true, server: '', nodeIp: '', broken: false },
      controllers: {
        'kube-controller-manager': { server: '', renewedAt: 0 },
        'kube-scheduler': { server: '', renewedAt: 0 },
      },
      object: { ready: true, address: facts.ipv4, renewedAt: clock.now().getTime() },
    });
  }
  const nodes = () => [...containers.values()].filter(({ facts }) => facts.role !== 'external-load-balancer');
  const controlPlanes = () => nodes().filter(({ facts }) => facts.role === 'control-plane');
  const admin = await issueCertificate({ ca, commonName: 'kubernetes-admin', organization: 'kubeadm:cluster-admins' });

  for (const node of nodes()) await create(node);

  async function create(node: FakeContainer): Promise<void> {
    const { name, role, ipv4 } = node.facts;
    const server = role === 'control-plane' ? ipv4 : fileValues(node.facts, list, 'ipv4').entryPoint;
    for (const [path, text] of renderNodeFiles(fileValues(node.facts, list, 'ipv4')))
      node.files.set(path, textFile(text));
    const conf = (user: string, host: string, client?: { certificate: string; key: string }) =>
      textFile(
        renderKubeconfig({
          cluster,
          user,
          server: `https://${host}:6443`,
          authority: ca.certificatePem,
          ...(client === undefined ? {} : { client }),
        }),
      );
    node.files.set('/usr/local/bin/entrypoint', textFile(entrypointOf29, 0o755));
    node.files.set('/etc/kubernetes/pki/ca.crt', textFile(ca.certificatePem, 0o644));
    node.files.set(kubeletConf, conf(`system:node:${name}`, server));
    if (role === 'control-plane') {
      const client = { certificate: admin.certificatePem, key: admin.privateKeyPem };
      node.files.set('/etc/kubernetes/admin.conf', conf('kubernetes-admin', name, client));
      for (const [controller, path] of Object.entries(controllerFiles))
        node.files.set(path, conf(controller, ipv4, client));
      await makeCertificate(node, ca);
    }
    startKubelet(node);
    for (const controller of Object.keys(controllerFiles) as Controller[]) startController(node, controller);
  }

  /** The crash: other addresses, and the entrypoint of kind v0.29 at every boot. */
  async function crash(moves: Readonly<Record<string, number>>): Promise<void> {
    for (const [name, host] of Object.entries(moves)) {
      const container = find(name);
      container.facts = { ...container.facts, ...addressOf(host) };
    }
    for (const node of nodes()) {
      const values = fileValues(node.facts, list, 'ipv4');
      const members = values.members.map((one) =>
        one.name === node.facts.name ? { ...one, address: node.facts.ipv4 } : one,
      );
      for (const [path, text] of renderNodeFiles({ ...values, members })) node.files.set(path, textFile(text));
      if (node.facts.role === 'control-plane') {
        for (const path of Object.values(controllerFiles)) changeServer(node, path, node.facts.ipv4);
        await makeCertificate(node, ca);
      }
      startKubelet(node);
      for (const controller of Object.keys(controllerFiles) as Controller[]) startController(node, controller);
    }
    settle();
    clock.advance(120_000);
    settle();
  }

  function startKubelet(node: FakeContainer): void {
    node.kubelet.active = true;
    node.kubelet.server = serverOf(node, kubeletConf);
    node.kubelet.nodeIp = /--node-ip=([^ "]+)/.exec(readText(node.files, flagsFile) ?? '')?.[1] ?? '';
  }

  function startController(node: FakeContainer, controller: Controller): void {
    node.controllers[controller].server = serverOf(node, controllerFiles[controller]);
  }

  function etcdRuns({ facts, files }: FakeContainer): boolean {
    const listens = /--listen-peer-urls=https:\/\/([^:]+):/.exec(readText(files, `${manifestFolder}/etcd.yaml`) ?? '');
    return facts.running && listens?.[1] === facts.ipv4;
  }

  function apiServerRuns(node: FakeContainer): boolean {
    return etcdRuns(node) && node.kubelet.active && node.files.has('/etc/kubernetes/pki/apiserver.crt');
  }

  function reaches(host: string): boolean {
    const serving = controlPlanes().filter(apiServerRuns);
    const balancers = [...containers.values()].filter(
      ({ facts }) => facts.role === 'external-load-balancer' && facts.running,
    );
    return [...serving, ...(serving.length > 0 ? balancers : [])].some(
      ({ facts }) => host === facts.name || host === facts.ipv4,
    );
  }

  /** Lets everything that is connected say so now. */
  function settle(): void {
    const now = clock.now().getTime();
    for (const { facts, kubelet, object, controllers } of nodes()) {
      const isHeard =
        facts.running && kubelet.active && !kubelet.broken && kubelet.nodeIp === facts.ipv4 && reaches(kubelet.server);
      if (isHeard) Object.assign(object, { ready: true, address: kubelet.nodeIp, renewedAt: now });
      else if (now - object.renewedAt > leaseMs) object.ready = false;
      for (const controller of Object.values(controllers)) if (reaches(controller.server)) controller.renewedAt = now;
    }
  }

  function find(name: string): FakeContainer {
    const found = containers.get(name);
    if (found === undefined) throw new Error(`there is no container ${name}`);
    return found;
  }

  async function run(node: FakeContainer, argv: readonly string[]): Promise<CommandAnswer | undefined> {
    const [program = '', verb = '', ...rest] = argv;
    const say = (stdout: string, exitCode = 0): CommandAnswer => ({ exitCode, stdout });
    if (program.endsWith('/etcdctl')) {
      if (!etcdRuns(node)) return { exitCode: 1, stdout: '', stderr: 'context deadline exceeded' };
      node.files.set(rest.at(-1) ?? '', textFile('etcd snapshot'));
      return say('Snapshot saved');
    }
    switch (program) {
      case 'date':
        return say(`${clock.now().getTime()}\n`);
      case 'ip': {
        const addresses = [node.facts.ipv4, node.facts.ipv6].map((local) => ({ local, scope: 'global' }));
        return say(JSON.stringify([{ ifname: 'lo' }, { ifname: 'eth0', addr_info: addresses }]));
      }
      case 'getent': {
        const target = containers.get(rest[0] ?? '')?.facts;
        return target?.running === true
          ? say(`${target.ipv6} STREAM ${target.name}\n${target.ipv4} STREAM\n`)
          : say('', 2);
      }
      case 'systemctl':
        return runSystemctl(node, verb, rest);
      case 'journalctl':
        return say(
          reaches(node.kubelet.server)
            ? ''
            : `E1130 "Post \\"https://x\\": dial tcp ${node.kubelet.server}:6443: connect: connection refused"\n`,
        );
      case 'openssl':
        return printPublicKey(readText(node.files, '/etc/kubernetes/pki/apiserver.key'), 'apiserver.key');
      case 'crictl':
        return runCrictl(node, verb, rest);
      case 'pidof':
        return etcdRuns(node) ? say('612\n') : say('', 1);
      case 'kubeadm':
        // As the real one: a certificate that is there is kept.
        if (!node.files.has('/etc/kubernetes/pki/apiserver.crt')) await makeCertificate(node, ca);
        return say('[certs] Generating "apiserver" certificate and key');
      default:
        return undefined;
    }
  }

  function runSystemctl(node: FakeContainer, verb: string, rest: readonly string[]): CommandAnswer {
    if (verb === 'restart' && rest[0] === 'kubelet') startKubelet(node);
    const state = node.kubelet.active ? 'active' : 'failed';
    if (verb === 'is-active') return { exitCode: node.kubelet.active ? 0 : 3, stdout: `active\n${state}\n` };
    if (verb !== 'show') return { exitCode: 0, stdout: '' };
    const block = (unit: string, active: string) =>
      `Id=${unit}.service\nActiveState=${active}\nSubState=running\nNRestarts=0\nActiveEnterTimestamp=Mon 2026-11-30 18:37:49 UTC\n`;
    return { exitCode: 0, stdout: `${block('kubelet', state)}\n${block('containerd', 'active')}` };
  }

  function runCrictl(node: FakeContainer, verb: string, rest: readonly string[]): CommandAnswer {
    const states = {
      etcd: etcdRuns(node),
      'kube-apiserver': apiServerRuns(node),
      'kube-controller-manager': true,
      'kube-scheduler': true,
    };
    if (verb === 'stop') {
      for (const id of rest) if (id in controllerFiles) startController(node, id as Controller);
      return { exitCode: 0, stdout: '' };
    }
    const pattern = new RegExp(rest[rest.indexOf('--name') + 1] ?? '');
    const found = Object.entries(states).filter(([name]) => pattern.test(name));
    // A container's id is its name here.
    if (rest.includes('-q'))
      return {
        exitCode: 0,
        stdout: found
          .filter(([, runs]) => runs)
          .map(([name]) => `${name}\n`)
          .join(''),
      };
    const createdAt = `${BigInt(Date.parse(node.facts.startedAt) + 6000) * 1_000_000n}`;
    const listed = found.map(([name, runs]) => ({
      metadata: { name, attempt: 1 },
      state: runs ? 'CONTAINER_RUNNING' : 'CONTAINER_EXITED',
      createdAt,
    }));
    return { exitCode: 0, stdout: JSON.stringify({ containers: listed }) };
  }

  return {
    ca,
    admin,
    containers,
    nodes,
    controlPlanes,
    find,
    crash,
    run,
    settle,
    startKubelet,
    isApiUp: () => controlPlanes().some(apiServerRuns),
  };
}

async function makeCertificate(node: FakeContainer, ca: Authority): Promise<void> {
  const advertised = /advertiseAddress: ([\d.]+)/.exec(readText(node.files, kubeadmFile) ?? '')?.[1] ?? '';
  const { certificatePem, privateKeyPem } = await issueCertificate({
    ca,
    commonName: 'kube-apiserver',
    dnsNames: [node.facts.name, 'kubernetes', 'kubernetes.default', 'localhost'],
    ipAddresses: ['10.96.0.1', advertised, '127.0.0.1'],
  });
  node.files.set('/etc/kubernetes/pki/apiserver.crt', textFile(certificatePem, 0o644));
  node.files.set('/etc/kubernetes/pki/apiserver.key', textFile(privateKeyPem));
}

export function changeServer(node: FakeContainer, path: string, host: string): void {
  const text = readText(node.files, path) ?? '';
  node.files.set(path, textFile(text.replace(/server: .*/, `server: https://${host}:6443`)));
}

function serverOf({ files }: FakeContainer, path: string): string {
  return /server: https:\/\/([^\n:]+):/.exec(readText(files, path) ?? '')?.[1] ?? '';
}
