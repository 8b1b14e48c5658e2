import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Engine, EngineError } from '../../docker/port.ts';
import type { ContainerFacts } from '../../facts/containers.ts';
import { cluster as clusterName, gatheredAt, type Topology, withWorkers } from '../../facts/testing/facts.ts';
import { renderKubeconfig } from '../../facts/testing/node-files.ts';
import { decodeOperations, encodeResults } from '../../node/operations.ts';
import type { NodeOperation, NodeOperationResult } from '../../node/port.ts';
import { issueCertificate } from '../../pki/testing/issue.ts';
import { clusterLabel, roleLabel, type World } from '../world.ts';
import { makeClock, type ManualClock } from './clock.ts';
import { serveApi } from './fake-api-server.ts';
import { type FakeCluster, makeCluster } from './fake-cluster.ts';
import { performOperation, textFile } from './fake-node.ts';

/** `midway`: a file's new bytes lie beside it, not yet renamed; of other operations the last is not carried out. */
export type DeathMode = 'midway' | 'after';

export interface FakeWorld {
  readonly world: World;
  readonly cluster: FakeCluster;
  readonly clock: ManualClock;
  readonly dataFolder: string;
  readonly kubeconfigPath: string;
  /** How many execs there have been. */
  execCount(): number;
  /** The engine goes away for good with the exec of that number, until `revive`. */
  dieAt(exec: number, mode: DeathMode): void;
  die(): void;
  revive(): void;
  /** Called with the path of every request to the API server; answers the status to refuse it with. */
  onRequest: (path: string) => number | undefined;
  /** Called with every operation before it is carried out; what it throws is what the operation fails of. */
  onOperation: (container: string, operation: NodeOperation) => void;
}

/** The product's world over a cluster in memory: the engine port, and an API server on a real port. */
export async function makeFakeWorld(topology: Topology = withWorkers): Promise<FakeWorld> {
  const clock = makeClock(gatheredAt);
  const cluster = await makeCluster(topology, clock);
  const server = await issueCertificate({ ca: cluster.ca, commonName: 'kube-apiserver', dnsNames: ['kubernetes'] });
  const api = await serveApi(
    { key: server.privateKeyPem, cert: server.certificatePem, ca: cluster.ca.certificatePem },
    {
      isUp: cluster.isApiUp,
      refuse: (path) => fake.onRequest(path),
      passTime: () => clock.advance(10_000),
      listNodes: () => listNodes(cluster, clock),
      listLeases: (namespace) => listLeases(cluster, namespace),
    },
  );
  const dataFolder = await mkdtemp(join(tmpdir(), 'rekindle-world-'));
  onTestFinished(async () => {
    await api.close();
    await rm(dataFolder, { recursive: true, force: true });
  });
  const kubeconfigPath = join(dataFolder, 'kubeconfig');
  await writeFile(kubeconfigPath, renderHostKubeconfig(cluster, api.port), { mode: 0o600 });

  let execs = 0;
  let isDead = false;
  let death: { readonly exec: number; readonly mode: DeathMode } | undefined;
  const alive = () => {
    if (isDead) throw new EngineError('unreachable', 'the engine went away');
  };
  const fake: FakeWorld = {
    world: {
      surroundings: {
        environment: { XDG_DATA_HOME: dataFolder },
        home: dataFolder,
        platform: process.platform,
        uid: 1000,
        workingDirectory: dataFolder,
        clock,
        randomId: makeIds(),
        pid: process.pid,
        hostName: hostname(),
        version: '0.0.0-test',
      },
      options: { kubeconfig: kubeconfigPath },
      networkName: 'kind',
      engine: {
        ok: true,
        engine: makeEngine(),
        info: Promise.resolve({ id: 'ENGINE-1', version: '28.5.1', operatingSystem: 'test' }),
      },
    },
    cluster,
    clock,
    dataFolder,
    kubeconfigPath,
    execCount: () => execs,
    dieAt: (exec, mode) => {
      death = { exec, mode };
    },
    die: () => {
      isDead = true;
    },
    revive: () => {
      isDead = false;
      death = undefined;
    },
    onRequest: () => undefined,
    onOperation: () => undefined,
  };
  return fake;

  function makeEngine(): Engine {
    const find = (name: string) => {
      alive();
      const found = cluster.containers.get(name);
      if (found === undefined) throw new EngineError('not-found', `no such container: ${name}`);
      return found;
    };
    return {
      endpoint: 'unix:///var/run/docker.sock',
      attempts: [],
      info: async () => ({ id: 'ENGINE-1', version: '28.5.1', operatingSystem: 'test' }),
      async listContainers() {
        alive();
        return [...cluster.containers.values()].map(({ facts }) => summarize(facts));
      },
      inspectContainer: async (name) => inspect(find(name).facts, api.port),
      async startContainer(name) {
        const container = find(name);
        container.facts = { ...container.facts, running: true, state: 'running' };
        cluster.startKubelet(container);
      },
      async stopContainer(name) {
        const container = find(name);
        container.facts = { ...container.facts, running: false, state: 'exited', exitCode: 137 };
      },
      async setRestartPolicy(name, restartPolicy) {
        const container = find(name);
        container.facts = { ...container.facts, restartPolicy };
      },
      exec: async (name, { argv, stdin, signal }) => {
        signal?.throwIfAborted();
        const container = find(name);
        if (!container.facts.running) throw new EngineError('conflict', `container ${name} is not running`);
        clock.advance(5);
        // The way to the API through a node is not played here.
        if (argv[0] === 'kubectl') return { exitCode: 1, stdout: Buffer.alloc(0), stderr: Buffer.from('refused') };
        execs += 1;
        const mode = execs === death?.exec ? death.mode : undefined;
        isDead ||= mode !== undefined;
        const operations = decodeOperations(argv, stdin);
        const results: NodeOperationResult[] = [];
        for (const [index, operation] of operations.entries()) {
          if (mode === 'midway' && index === operations.length - 1) {
            if (operation.op === 'replace') container.files.set(operation.temporary, textFile('half of the new'));
            break;
          }
          results.push(await perform(name, operation));
        }
        alive();
        return { exitCode: 0, stdout: encodeResults(results), stderr: Buffer.alloc(0) };
      },
      async getArchive(name, path) {
        // As Docker does: the names inside begin with the last part of what was asked for.
        const parent = path.slice(0, path.lastIndexOf('/') + 1);
        const found = [...find(name).files].filter(([each]) => each === path || each.startsWith(`${path}/`));
        if (found.length === 0) throw new EngineError('not-found', `no such file: ${path}`);
        return found.map(([each, file]) => ({ path: each.slice(parent.length), type: 'file', ...file }));
      },
      putArchive: async () => undefined,
      async inspectNetwork() {
        alive();
        const members = [...cluster.containers.values()].map(({ facts: { name, ipv4, ipv6 } }) => ({
          container: name,
          ipv4,
          ipv6,
        }));
        return {
          id: 'kind',
          name: 'kind',
          driver: 'bridge',
          subnets: ['172.18.0.0/16'],
          gateways: ['172.18.0.1'],
          members,
        };
      },
      async *events() {},
    };
  }

  async function perform(name: string, operation: NodeOperation): Promise<NodeOperationResult> {
    const container = cluster.find(name);
    try {
      fake.onOperation(name, operation);
    } catch (error) {
      return {
        op: operation.op,
        ok: false,
        why: 'failed',
        reason: error instanceof Error ? error.message : String(error),
      };
    }
    return await performOperation(container.files, operation, async (argv) => await cluster.run(container, argv));
  }
}

function makeIds(): () => string {
  let count = 0;
  return () => `t${String(count++).padStart(3, '0')}`;
}

function summarize({ name, role, state }: ContainerFacts) {
  return { id: name, name, state, labels: { [clusterLabel]: clusterName, [roleLabel]: role } };
}

function inspect(facts: ContainerFacts, port: number) {
  const { ipv4, ipv6, running } = facts;
  const addresses = running ? { ipv4, ipv6, gateway: '172.18.0.1' } : { ipv4: '', ipv6: '', gateway: '' };
  return {
    ...facts,
    ...summarize(facts),
    hostname: facts.name,
    networks: { kind: addresses },
    ports:
      facts.apiPort === null ? [] : [{ containerPort: 6443, protocol: 'tcp', hostIp: '127.0.0.1', hostPort: port }],
  };
}

function listNodes(cluster: FakeCluster, clock: ManualClock): object[] {
  cluster.settle();
  return cluster.nodes().map(({ facts, object }) => ({
    metadata: { name: facts.name },
    status: {
      conditions: [
        {
          type: 'Ready',
          status: object.ready ? 'True' : 'Unknown',
          reason: object.ready ? 'KubeletReady' : 'NodeStatusUnknown',
          lastTransitionTime: clock.now().toISOString(),
        },
      ],
      addresses: [{ type: 'InternalIP', address: object.address }],
    },
  }));
}

function listLeases(cluster: FakeCluster, namespace: string | undefined): object[] {
  cluster.settle();
  const lease = (in_: string, name: string, holder: string, renewedAt: number) => ({
    metadata: { namespace: in_, name },
    spec: { holderIdentity: holder, renewTime: new Date(renewedAt).toISOString() },
  });
  const all = cluster
    .nodes()
    .map(({ facts, object }) => lease('kube-node-lease', facts.name, facts.name, object.renewedAt));
  for (const name of ['kube-controller-manager', 'kube-scheduler'] as const) {
    const newest = Math.max(...cluster.controlPlanes().map(({ controllers }) => controllers[name].renewedAt));
    all.push(lease('kube-system', name, `${name}_1`, newest));
  }
  return all.filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace);
}

function renderHostKubeconfig({ ca, admin }: FakeCluster, port: number): string {
  const context = `kind-${clusterName}`;
  return renderKubeconfig({
    cluster: context,
    user: context,
    server: `https://127.0.0.1:${port}`,
    authority: ca.certificatePem,
    client: { certificate: admin.certificatePem, key: admin.privateKeyPem },
  }).replaceAll(`${context}@${context}`, context);
}
