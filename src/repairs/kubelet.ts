import type { Facts } from '../facts/facts.ts';
import { nodesOf, secondsUp } from '../facts/select.ts';
import type { Repair, WantedStep } from './repair.ts';

/** A node that was started more recently than this is given the time to come up by itself (an unharmed restart takes 8 to 12 s). */
const bootSeconds = 45;

export const restartKubelet: Repair = {
  mends: ['node/kubelet-down'],
  title: 'Starts containerd and the kubelet where they are down',
  byHand: ['docker exec {node} systemctl restart containerd kubelet', 'docker exec {node} journalctl -u kubelet -n 50'],
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

export const reviveNode: Repair = {
  mends: ['nodes/not-ready', 'nodes/address-stale'],
  title:
    'Restarts the kubelet, unless the node has only just been started, and waits until it is Ready at the right address',
  byHand: ['docker exec {node} systemctl restart kubelet', 'kubectl get nodes -o wide -w'],
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

export const reviveApi: Repair = {
  mends: ['control-plane/api-unreachable'],
  title:
    'Waits for the API server where its node has only just been started; restarts the kubelet otherwise, which clears its back-off',
  byHand: [
    'docker exec {node} systemctl restart kubelet',
    'docker exec {node} crictl ps -a',
    "docker exec {node} sh -c 'crictl logs --tail 20 $(crictl ps -a -q --name kube-apiserver | head -1)'",
  ],
  propose: (_finding, facts) => {
    const controlPlanes = nodesOf(facts).filter(
      ({ container }) => container.role === 'control-plane' && container.running,
    );
    const settled = controlPlanes.filter(({ container }) => !isBooting(facts, container.name));
    return {
      kind: 'steps',
      steps: settled.map(({ container }) => restart(container.name, 'the API server does not answer')),
    };
  },
};

export const restartStalledComponent: Repair = {
  mends: ['control-plane/controllers-stalled'],
  title: 'Restarts the component whose lease stands still, on every control plane',
  byHand: ["docker exec {node} sh -c 'crictl ps -q --name {component} | xargs crictl stop'"],
  propose: ({ subject }, facts) => ({
    kind: 'steps',
    steps: nodesOf(facts)
      .filter(({ container }) => container.role === 'control-plane' && container.running)
      .map(({ container }) => ({
        step: { kind: 'restart-component', node: container.name, component: subject },
        risk: 'safe',
        reason: `${subject} has stopped renewing its lease`,
      })),
  }),
};

function restart(node: string, reason: string): WantedStep {
  return { step: { kind: 'restart-unit', node, unit: 'kubelet' }, risk: 'safe', reason };
}

function isBooting(facts: Facts, subject: string): boolean {
  const node = nodesOf(facts).find(({ container }) => container.name === subject);
  return node !== undefined && secondsUp(facts, node.container, node.inside) < bootSeconds;
}
