import type { Facts } from '../facts/facts.ts';
import { componentsOf, type NodeView, nodesOf, secondsUp } from '../facts/select.ts';
import { type Repair, stopComponent, type WantedStep } from './repair.ts';

/** A node that was started more recently than this is given the time to come up by itself (an unharmed restart takes 8 to 12 s). */
const bootSeconds = 45;

/** Starts containerd and the kubelet where they are down. */
export const restartKubelet: Repair = {
  mends: ['node/kubelet-down'],
  byHand: ({ subject }) => [
    `docker exec ${subject} systemctl restart containerd kubelet`,
    `docker exec ${subject} journalctl -u kubelet -n 50`,
  ],
  propose: ({ subject }, facts) => {
    const inside = nodesOf(facts).find(({ container }) => container.name === subject)?.inside;
    const units = (['containerd', 'kubelet'] as const).filter((unit) => {
      const state = inside?.[unit];
      return state?.ok === true && state.value.activeState !== 'active';
    });
    return {
      kind: 'steps',
      steps: units.map((unit) => ({
        step: { kind: 'restart-unit', node: subject, unit },
        risk: 'safe',
        reason: `${unit} does not run on ${subject}`,
      })),
    };
  },
};

/** Restarts the kubelet, unless the node has only just been started, and waits until it is Ready at the right address. */
export const reviveNode: Repair = {
  mends: ['nodes/not-ready', 'nodes/address-stale'],
  byHand: ({ subject }) => [`docker exec ${subject} systemctl restart kubelet`, 'kubectl get nodes -o wide -w'],
  propose: ({ id, subject }, facts) => ({
    kind: 'steps',
    steps:
      id === 'nodes/not-ready' && isBooting(facts, subject)
        ? []
        : [
            restart(
              subject,
              id === 'nodes/not-ready' ? `${subject} is not Ready` : 'the kubelet states its address when it starts',
            ),
          ],
  }),
};

/** Waits for the API server where its node has only just been started; restarts the kubelet otherwise, which clears its back-off. */
export const reviveApi: Repair = {
  mends: ['control-plane/api-unreachable'],
  byHand: (_finding, facts) =>
    controlPlanes(facts).flatMap(({ container: { name } }) => [
      `docker exec ${name} crictl ps -a`,
      `docker exec ${name} sh -c 'crictl logs --tail 20 $(crictl ps -a -q --name kube-apiserver | head -1)'`,
      `docker exec ${name} systemctl restart kubelet`,
    ]),
  propose: (_finding, facts) => {
    const settled = controlPlanes(facts).filter(({ container }) => !isBooting(facts, container.name));
    return {
      kind: 'steps',
      steps: settled.flatMap((node) => [
        ...(runsWithoutEtcd(node) ? [stopApiServer(node.container.name)] : []),
        restart(node.container.name, 'the API server does not answer'),
      ]),
    };
  },
};

/**
 * Lets a component that has only just been started wait for the old lease to run out; restarts the kubelet where its
 * container ended, which clears the back-off; ends a container that runs and stands still. On every control plane.
 */
export const restartStalledComponent: Repair = {
  mends: ['control-plane/controllers-stalled'],
  byHand: ({ subject }, facts) => controlPlanes(facts).map(({ container }) => stopComponent(container.name, subject)),
  propose: ({ subject }, facts) => ({
    kind: 'steps',
    steps: controlPlanes(facts).flatMap(({ container: { name } }): WantedStep[] => {
      const newest = componentsOf(facts, subject).find(({ node }) => node === name);
      if (newest !== undefined && newest.state !== 'running')
        return [restart(name, `${subject} ended on ${name}, and waits for its next start`)];
      if (newest !== undefined && newest.secondsOld < leaseTurnSeconds) return [];
      return [
        {
          step: { kind: 'restart-component', node: name, component: subject },
          risk: 'safe',
          reason: `${subject} has stopped renewing its lease`,
        },
      ];
    }),
  }),
};

/** A new leader starts, and lets the old lease run out (15 s). */
const leaseTurnSeconds = 45;

/**
 * A kubelet first asks the API for a changed static pod's mirror. An API server without etcd lets it wait for that (34 s
 * a time, seen on Kubernetes 1.34); where none listens the kubelet goes on at once and starts etcd.
 */
export const withoutEtcd = 'an API server without etcd would keep the kubelet from starting etcd';

function stopApiServer(node: string): WantedStep {
  return { step: { kind: 'restart-component', node, component: 'kube-apiserver' }, risk: 'safe', reason: withoutEtcd };
}

function runsWithoutEtcd({ inside }: NodeView): boolean {
  if (inside?.components.ok !== true) return false;
  const isRunning = (component: string) =>
    inside.components.ok &&
    inside.components.value.some(({ name, state }) => name === component && state === 'running');
  return isRunning('kube-apiserver') && !isRunning('etcd');
}

function restart(node: string, reason: string): WantedStep {
  return { step: { kind: 'restart-unit', node, unit: 'kubelet' }, risk: 'safe', reason };
}

function isBooting(facts: Facts, subject: string): boolean {
  const node = nodesOf(facts).find(({ container }) => container.name === subject);
  return node !== undefined && secondsUp(facts, node.container, node.inside) < bootSeconds;
}

function controlPlanes(facts: Facts): NodeView[] {
  return nodesOf(facts).filter(({ container }) => container.role === 'control-plane' && container.running);
}
