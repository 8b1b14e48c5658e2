import { certificateWithoutAddress } from './faults/certificate-without-address.ts';
import { certificatesDeleted } from './faults/certificates-deleted.ts';
import { cutRewrite } from './faults/cut-rewrite.ts';
import { halfRewrite } from './faults/half-rewrite.ts';
import { kubeconfigPort } from './faults/kubeconfig-port.ts';
import { reconnect } from './faults/reconnect.ts';
import { noRestartPolicy } from './faults/restart-policy.ts';
import { shuffle } from './faults/shuffle.ts';
import { staleComponent } from './faults/stale-component.ts';
import { staleEndpoint } from './faults/stale-endpoint.ts';
import { stopAll } from './faults/stop-all.ts';
import { stopKubelet } from './faults/stop-kubelet.ts';
import { stopNode } from './faults/stop-node.ts';
import type { Scenario, ScenarioStage } from './scenario.ts';

const worker = ({ cluster }: ScenarioStage) => `${cluster.name}-worker`;
const workers = { profile: 'workers', entrypoint: 'old' } as const;
const healed = { verdict: 'healed' } as const;
const noCertificates = ['certificates/'];

/** In the order in which they are listed; those that leave containers at other addresses come last. */
export const scenarios: readonly Scenario[] = [
  {
    ...workers,
    name: 'runbook-crash',
    title: "New addresses for every node, and a control plane's kubelet that still dials the old one",
    faults: [{ fault: shuffle, thenSeconds: 40 }],
    doctor: {
      verdict: 'broken',
      names: ['node/kubelet-endpoint-stale control-plane', 'network/address-changed control-plane'],
      mustNotName: [...noCertificates, 'control-plane/', 'node/manifest-address-stale', 'containers/'],
    },
    heal: healed,
    again: [{ fault: shuffle }],
  },
  {
    ...workers,
    name: 'runbook-crash-late',
    title: 'The same, an hour of coffee later: the node counts as NotReady by now',
    faults: [{ fault: shuffle, thenSeconds: 120 }],
    doctor: {
      verdict: 'broken',
      names: ['node/kubelet-endpoint-stale control-plane', 'nodes/not-ready control-plane'],
      mustNotName: [...noCertificates, 'control-plane/'],
    },
    heal: healed,
  },
  {
    ...workers,
    profile: 'single',
    name: 'runbook-crash-single',
    title: 'The same in a cluster of one node',
    faults: [{ fault: shuffle, thenSeconds: 40 }],
    doctor: {
      verdict: 'broken',
      names: ['node/kubelet-endpoint-stale control-plane'],
      mustNotName: noCertificates,
    },
    heal: healed,
  },
  {
    ...workers,
    entrypoint: 'current',
    name: 'unharmed-restart',
    title: 'A current node image mends its addresses at boot: nothing is wrong, and nothing may be done',
    faults: [{ fault: shuffle, thenSeconds: 60 }],
    doctor: { verdict: 'healthy', names: [], mustNotName: [''] },
    heal: { verdict: 'healthy' },
  },
  {
    ...workers,
    name: 'stale-endpoint',
    title: "A control plane's kubelet dials an address where nobody listens",
    faults: [{ fault: staleEndpoint, thenSeconds: 5 }],
    doctor: {
      verdict: 'broken',
      names: ['node/kubelet-endpoint-stale control-plane'],
      mustNotName: [...noCertificates, 'network/', 'control-plane/'],
    },
    heal: healed,
  },
  {
    ...workers,
    name: 'stale-endpoint-worker',
    title: "A worker's kubelet dials an address where nobody listens",
    faults: [{ fault: staleEndpoint, argument: worker, thenSeconds: 5 }],
    doctor: {
      verdict: 'broken',
      names: ['node/kubelet-endpoint-stale worker'],
      mustNotName: [...noCertificates, 'network/', 'control-plane/'],
    },
    heal: healed,
  },
  {
    ...workers,
    name: 'stale-controller-manager',
    title: 'The API answers and nothing moves: the controller manager dials an address where nobody listens',
    faults: [{ fault: staleComponent, thenSeconds: 60 }],
    doctor: {
      verdict: 'broken',
      names: ['node/component-endpoint-stale control-plane', 'control-plane/controllers-stalled'],
      mustNotName: [...noCertificates, 'network/', 'node/kubelet-endpoint-stale'],
    },
    heal: healed,
  },
  {
    ...workers,
    name: 'all-stopped',
    title: 'Every container of the cluster was stopped',
    faults: [{ fault: stopAll }],
    doctor: {
      verdict: 'broken',
      names: ['containers/node-stopped control-plane', 'containers/node-stopped worker'],
      mustNotName: noCertificates,
    },
    heal: healed,
  },
  {
    ...workers,
    name: 'worker-stopped',
    title: 'One worker was stopped',
    faults: [{ fault: stopNode, argument: worker, thenSeconds: 5 }],
    doctor: {
      verdict: 'broken',
      names: ['containers/node-stopped worker'],
      mustNotName: [...noCertificates, 'control-plane/', 'node/'],
    },
    heal: healed,
  },
  {
    ...workers,
    name: 'kubelet-stopped',
    title: "A worker's kubelet does not run",
    faults: [{ fault: stopKubelet, argument: worker, thenSeconds: 5 }],
    doctor: {
      verdict: 'broken',
      names: ['node/kubelet-down worker'],
      mustNotName: [...noCertificates, 'control-plane/', 'network/'],
    },
    heal: healed,
  },
  {
    ...workers,
    name: 'no-restart-policy',
    title: 'A node would stay down after the next start of the engine',
    faults: [{ fault: noRestartPolicy }],
    doctor: {
      verdict: 'degraded',
      names: ['containers/restart-policy control-plane'],
      mustNotName: ['node/', 'nodes/'],
    },
    heal: healed,
  },
  {
    ...workers,
    name: 'certificate-without-address',
    title: "The API server's certificate lacks the node's address",
    faults: [{ fault: certificateWithoutAddress, thenSeconds: 5 }],
    doctor: {
      verdict: 'broken',
      names: ['certificates/apiserver-address-missing control-plane'],
      mustNotName: ['containers/', 'node/manifest-address-stale'],
    },
    heal: healed,
  },
  {
    ...workers,
    name: 'certificates-deleted',
    title: "The API server's certificate and key are gone, and it has stopped",
    faults: [{ fault: certificatesDeleted, thenSeconds: 5 }],
    doctor: {
      verdict: 'broken',
      names: ['certificates/apiserver-missing control-plane', 'control-plane/api-unreachable'],
      mustNotName: ['containers/', 'network/'],
    },
    heal: healed,
  },
  {
    ...workers,
    name: 'certificates-deleted-boot',
    title: "The API server's certificate and key are gone, and no boot makes them again",
    faults: [{ fault: certificatesDeleted, argument: 'boot', thenSeconds: 5 }],
    doctor: {
      verdict: 'broken',
      names: ['certificates/apiserver-missing control-plane', 'control-plane/api-unreachable'],
      mustNotName: ['containers/'],
    },
    heal: healed,
  },
  {
    ...workers,
    name: 'half-rewrite',
    title: "A crash in the middle of the entrypoint's rewriting: some files name the old address",
    faults: [{ fault: halfRewrite, thenSeconds: 5 }],
    doctor: {
      verdict: 'broken',
      names: ['node/manifest-address-stale control-plane', 'control-plane/api-unreachable'],
      mustNotName: ['containers/', 'certificates/apiserver-missing'],
    },
    heal: healed,
  },
  {
    ...workers,
    name: 'certificate-and-half-rewrite',
    title: 'A certificate without the address, and a rewrite cut short',
    faults: [{ fault: certificateWithoutAddress }, { fault: cutRewrite, thenSeconds: 5 }],
    doctor: {
      verdict: 'broken',
      names: [
        'node/manifest-address-stale control-plane',
        'certificates/apiserver-address-missing control-plane',
        'control-plane/api-unreachable',
      ],
      mustNotName: ['containers/'],
    },
    heal: healed,
  },
  {
    ...workers,
    name: 'kubeconfig-wrong-port',
    title: "This host's kubeconfig names a port that nobody publishes, beside other people's clusters",
    faults: [{ fault: kubeconfigPort, argument: ({ visitor }) => visitor.kubeconfig }],
    doctor: { verdict: 'broken', names: ['host/kubeconfig-stale'], mustNotName: ['node/', 'nodes/', 'control-plane/'] },
    heal: healed,
  },
  {
    ...workers,
    name: 'reconnect-worker',
    title: 'A worker got a new address while it ran',
    faults: [{ fault: reconnect, argument: worker, thenSeconds: 5 }],
    doctor: {
      verdict: 'broken',
      names: ['network/address-changed worker'],
      mustNotName: [...noCertificates, 'containers/', 'control-plane/'],
    },
    heal: healed,
  },
  {
    ...workers,
    name: 'reconnect-control-plane',
    title: 'A control plane got a new address while it ran: its entrypoint never saw it',
    faults: [{ fault: reconnect, thenSeconds: 5 }],
    doctor: {
      verdict: 'broken',
      names: ['network/address-changed control-plane', 'node/manifest-address-stale control-plane'],
      mustNotName: ['containers/'],
    },
    heal: healed,
  },
];
