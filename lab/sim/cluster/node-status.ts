import type { KubeObject } from '../contracts.ts';
import type { KubeletContext } from './kubelet-context.ts';
import { type Condition, type NodeSpec, setCondition, uidOf } from './objects.ts';
import { toMicroTime, toTime } from './words.ts';
import { hasAddress } from './world.ts';

/** How often a kubelet reports a status in which nothing has changed. */
const heartbeatMs = 300_000;
const cniDirectory = '/etc/cni/net.d';

interface NodeStatus {
  readonly addresses?: readonly { readonly type: string; readonly address: string }[];
  readonly conditions?: readonly Condition[];
  readonly [key: string]: unknown;
}

/** Registers the node where the API does not know it, and reports its status. */
export function reportNode(kubelet: KubeletContext, nodeIps: readonly string[]): void {
  const { world, machine } = kubelet;
  const { store } = world;
  if (store.get('nodes', undefined, machine.name) === undefined) store.create('nodes', buildNode(kubelet));
  // Whoever is told of a new node may have labelled it already.
  const node = store.get('nodes', undefined, machine.name);
  if (node === undefined) return;
  const old = (node.status ?? {}) as NodeStatus;
  const status = buildStatus(kubelet, old, nodeIps);
  if (status !== old) store.update('nodes', { ...node, status });
}

export function renewNodeLease({ world, machine }: KubeletContext): void {
  const { store, context } = world;
  const spec = {
    holderIdentity: machine.name,
    leaseDurationSeconds: 40,
    renewTime: toMicroTime(context.clock.now()),
  };
  const lease = store.get('leases.coordination.k8s.io', 'kube-node-lease', machine.name);
  if (lease !== undefined) {
    store.update('leases.coordination.k8s.io', { ...lease, spec });
    return;
  }
  const node = store.get('nodes', undefined, machine.name);
  store.create('leases.coordination.k8s.io', {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      name: machine.name,
      namespace: 'kube-node-lease',
      ...(node === undefined
        ? {}
        : { ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: machine.name, uid: uidOf(node) }] }),
    },
    spec,
  });
}

/** The addresses of --node-ip that the node has; of the others the log tells, as the real one does. */
export function checkNodeIps(kubelet: KubeletContext, nodeIps: readonly string[]): readonly string[] {
  const { machine } = kubelet;
  if (nodeIps.length === 0) {
    const [first] = machine.interfaces();
    return first === undefined ? [] : [first.ipv4];
  }
  return nodeIps.filter((address) => {
    if (hasAddress(machine, address)) return true;
    const reason = `failed to validate nodeIP: node IP: "${address}" not found in the host's network interfaces`;
    kubelet.log(
      'E',
      'kubelet_node_status.go:719',
      `"Failed to set some node status fields" err=${JSON.stringify(reason)} node="${machine.name}"`,
    );
    return false;
  });
}

function buildStatus(kubelet: KubeletContext, old: NodeStatus, nodeIps: readonly string[]): NodeStatus {
  const { world, machine } = kubelet;
  const now = world.context.clock.now();
  const time = toTime(now);
  const valid = checkNodeIps(kubelet, nodeIps);
  const addresses =
    valid.length === 0
      ? (old.addresses ?? [])
      : [...valid.map((address) => ({ type: 'InternalIP', address })), { type: 'Hostname', address: machine.name }];
  const hasNetwork = (machine.files.list(cniDirectory) ?? []).length > 0;
  const ready = hasNetwork
    ? { status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' }
    : {
        status: 'False',
        reason: 'KubeletNotReady',
        message:
          'container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized',
      };
  const wanted: Condition[] = [
    {
      type: 'MemoryPressure',
      status: 'False',
      reason: 'KubeletHasSufficientMemory',
      message: 'kubelet has sufficient memory available',
    },
    {
      type: 'DiskPressure',
      status: 'False',
      reason: 'KubeletHasNoDiskPressure',
      message: 'kubelet has no disk pressure',
    },
    {
      type: 'PIDPressure',
      status: 'False',
      reason: 'KubeletHasSufficientPID',
      message: 'kubelet has sufficient PID available',
    },
    { type: 'Ready', ...ready },
  ];
  const [beat] = old.conditions ?? [];
  const lastBeat = Date.parse(beat?.lastHeartbeatTime ?? '1970-01-01T00:00:00Z');
  const isDue = now - lastBeat >= heartbeatMs;
  const isSame = wanted.every(({ type, status, reason }) =>
    old.conditions?.some((other) => other.type === type && other.status === status && other.reason === reason),
  );
  // Most reports have nothing to say, and there are many of them.
  if (isSame && !isDue && old['nodeInfo'] !== undefined && isSameList(old.addresses ?? [], addresses)) return old;
  const heartbeat = isSame && !isDue ? (beat?.lastHeartbeatTime ?? time) : time;
  let conditions: readonly Condition[] = old.conditions ?? [];
  for (const condition of wanted) {
    conditions = setCondition(conditions, { ...condition, lastHeartbeatTime: heartbeat, lastTransitionTime: time });
  }
  return { ...old, ...capacity, addresses, conditions, nodeInfo };
}

function isSameList(left: NonNullable<NodeStatus['addresses']>, right: NonNullable<NodeStatus['addresses']>): boolean {
  return left.length === right.length && left.every(({ address }, index) => address === right[index]?.address);
}

const capacity = {
  allocatable: { cpu: '4', 'ephemeral-storage': '263112772Ki', memory: '16375584Ki', pods: '110' },
  capacity: { cpu: '4', 'ephemeral-storage': '263112772Ki', memory: '16375584Ki', pods: '110' },
  daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
};

const nodeInfo = {
  architecture: 'amd64',
  containerRuntimeVersion: 'containerd://2.2.0',
  kernelVersion: '6.12.0',
  kubeProxyVersion: '',
  kubeletVersion: 'v1.34.4',
  operatingSystem: 'linux',
  osImage: 'Debian GNU/Linux 12 (bookworm)',
};

function buildNode({ world, machine }: KubeletContext): KubeObject {
  const isControlPlane = machine.role === 'control-plane';
  // What kubeadm has set once is not set again when a kubelet registers anew.
  const isFirst = !world.joined.has(machine.name);
  const place = world.joined.size;
  world.joined.add(machine.name);
  const spec: NodeSpec = {
    podCIDR: `10.${244 + (place >> 8)}.${place & 255}.0/24`,
    podCIDRs: [`10.${244 + (place >> 8)}.${place & 255}.0/24`],
    providerID: `kind://docker/${world.name}/${machine.name}`,
    ...(isControlPlane && isFirst && world.machines().some(({ role }) => role === 'worker')
      ? { taints: [{ effect: 'NoSchedule', key: 'node-role.kubernetes.io/control-plane' }] }
      : {}),
  };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: machine.name,
      labels: {
        'beta.kubernetes.io/arch': 'amd64',
        'beta.kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'kubernetes.io/hostname': machine.name,
        'kubernetes.io/os': 'linux',
        ...(isControlPlane && isFirst ? { 'node-role.kubernetes.io/control-plane': '' } : {}),
      },
      annotations: { 'node.alpha.kubernetes.io/ttl': '0' },
    },
    spec,
    status: { conditions: [] },
  };
}

export function internalIpOf(node: KubeObject | undefined): string {
  const { addresses = [] } = (node?.status ?? {}) as NodeStatus;
  return addresses.find(({ type }) => type === 'InternalIP')?.address ?? '';
}
