import type { NodeMachine } from '../../contracts.ts';
import { ensureObject, specOf } from '../objects.ts';
import { failAfter, type PodHost, serveAfter } from '../pod-behaviour.ts';
import type { RunningProgram } from '../runtime.ts';
import { formatKlog } from '../words.ts';
import type { ClusterWorld } from '../world.ts';
import { addService, addWorkload, ensureNamespace } from './builders.ts';

/** inotify instances that the processes of one node hold: systemd, containerd, the kubelet, kube-proxy. */
const instancesPerNode = 18;
const setting = 'fs.inotify.max_user_instances';
/** Stands for the rules in the node's kernel: /run is emptied with them. */
const serviceRules = '/run/kube-proxy/rules';
const standardImage = 'docker.io/kindest/local-path-provisioner:v20250214-acbabc1a';

/** What kubeadm and kind install in every cluster. Objects only: the controllers make the pods. */
export function addBaseWorkloads(world: ClusterWorld): void {
  addServerObjects(world);
  ensureNamespace(world, 'local-path-storage');
  const linux = { nodeSelector: { 'kubernetes.io/os': 'linux' } };
  const everywhere = { ...linux, hostNetwork: true, tolerations: [{ operator: 'Exists' }] };
  addWorkload(world, 'DaemonSet', {
    namespace: 'kube-system',
    name: 'kube-proxy',
    image: 'registry.k8s.io/kube-proxy:v1.34.4',
    labels: { 'k8s-app': 'kube-proxy' },
    spec: { ...everywhere, priorityClassName: 'system-node-critical' },
  });
  addWorkload(world, 'DaemonSet', {
    namespace: 'kube-system',
    name: 'kindnet',
    image: 'docker.io/kindest/kindnetd:v20251212-v0.29.0-alpha-105-g20ccfc88',
    labels: { app: 'kindnet', 'k8s-app': 'kindnet', tier: 'node' },
    spec: everywhere,
    container: { name: 'kindnet-cni' },
  });
  const onControlPlane = { effect: 'NoSchedule', key: 'node-role.kubernetes.io/control-plane' };
  addWorkload(world, 'Deployment', {
    namespace: 'kube-system',
    name: 'coredns',
    image: 'registry.k8s.io/coredns/coredns:v1.12.1',
    replicas: 2,
    labels: { 'k8s-app': 'kube-dns' },
    spec: { ...linux, tolerations: [{ key: 'CriticalAddonsOnly', operator: 'Exists' }, onControlPlane] },
    serviceName: 'kube-dns',
  });
  addService(world, {
    namespace: 'kube-system',
    name: 'kube-dns',
    labels: { 'k8s-app': 'kube-dns', 'kubernetes.io/cluster-service': 'true', 'kubernetes.io/name': 'CoreDNS' },
    selector: { 'k8s-app': 'kube-dns' },
    port: 53,
    clusterIp: '10.96.0.10',
  });
  addWorkload(world, 'Deployment', {
    namespace: 'local-path-storage',
    name: 'local-path-provisioner',
    image: standardImage,
    spec: { ...linux, tolerations: [{ ...onControlPlane, operator: 'Equal' }] },
  });
  ensureObject(world.store, 'storageclasses.storage.k8s.io', {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'standard', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    provisioner: 'rancher.io/local-path',
    reclaimPolicy: 'Delete',
    volumeBindingMode: 'WaitForFirstConsumer',
  });
  world.behaviours.set('kube-proxy', runKubeProxy);
  world.behaviours.set('kindnetd', runKindnet);
  world.behaviours.set('coredns', runCoreDns);
}

/** What an API server makes by itself where it is missing. */
export function addServerObjects(world: ClusterWorld): void {
  for (const name of ['default', 'kube-node-lease', 'kube-public', 'kube-system']) ensureNamespace(world, name);
  addService(world, { namespace: 'default', name: 'kubernetes', port: 443, clusterIp: '10.96.0.1' });
  ensureObject(world.store, 'endpoints', {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: {
      name: 'kubernetes',
      namespace: 'default',
      labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' },
    },
    subsets: [],
  });
  ensureObject(world.store, 'endpointslices.discovery.k8s.io', {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: 'kubernetes', namespace: 'default', labels: { 'kubernetes.io/service-name': 'kubernetes' } },
    addressType: 'IPv4',
    endpoints: [],
    ports: [{ name: 'https', port: 6443, protocol: 'TCP' }],
  });
}

/** How many instances the host's limit leaves short for one more kube-proxy; negative where there is room. */
export function countMissingInstances(world: ClusterWorld): number {
  const limit = Number(world.sysctl.get(setting) ?? 128);
  const nodes = world.machines().filter((machine) => machine.running() && machine.role !== 'external-load-balancer');
  return nodes.length * instancesPerNode + world.leakedInotifyInstances - limit;
}

function runKubeProxy(host: PodHost): RunningProgram {
  const { world } = host;
  const now = world.context.clock.now();
  host.log(formatKlog('I', now, 1, 'server.go:652', '"Version info" version="v1.34.4"'));
  if (countMissingInstances(world) > 0) {
    const line = formatKlog('E', now, 1, 'run.go:72', '"command failed" err="failed complete: too many open files"');
    return failAfter(host, 200, [line]);
  }
  host.scope.schedule(500, () => host.machine.files.write(serviceRules, 'programmed\n'));
  return serveAfter(host, 500);
}

/** Whether service addresses lead anywhere on that node: kube-proxy's rules outlive it, but not the node's start. */
export function servicesWork(machine: NodeMachine): boolean {
  return machine.files.stat(serviceRules) !== undefined;
}

/** CoreDNS is not ready before it has heard from the API, which it asks at the service's address. */
function runCoreDns(host: PodHost): RunningProgram {
  let ready = false;
  const look = () => {
    if (servicesWork(host.machine)) {
      ready = true;
      host.changed();
      return;
    }
    host.log('[INFO] plugin/ready: Still waiting on: "kubernetes"');
    host.scope.schedule(2_000, look);
  };
  host.scope.schedule(1_000 + host.world.context.random() * 1_500, look);
  return { started: () => true, live: () => true, ready: () => ready, stopMs: 300 };
}

/** The CNI daemon: it writes the network's configuration of its node. */
function runKindnet(host: PodHost): RunningProgram {
  const { files } = host.machine;
  host.scope.schedule(700, () => {
    const subnet = specOf(host.pod).nodeName ?? '';
    const text = JSON.stringify({
      cniVersion: '0.3.1',
      name: 'kindnet',
      plugins: [{ type: 'ptp' }, { type: 'portmap' }],
      node: subnet,
    });
    if (files.readText('/etc/cni/net.d/10-kindnet.conflist') !== text)
      files.write('/etc/cni/net.d/10-kindnet.conflist', text);
  });
  return serveAfter(host, 900);
}
