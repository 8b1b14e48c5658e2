import { nodesOf, secondsUp } from '../../facts/select.ts';
import { type Check, conclude } from '../check.ts';

export const apiUnreachable: Check = {
  id: 'control-plane/api-unreachable',
  layer: 'control-plane',
  severity: 'error',
  title: 'The API server answers, and is ready',
  after: [
    'containers/node-stopped',
    'certificates/apiserver-missing',
    'certificates/apiserver-address-missing',
    'node/manifest-address-stale',
    'node/kubelet-down',
  ],
  run: (facts) => {
    if (!facts.containers.ok) return conclude([], [facts.containers.reason]);
    if (facts.api.ok && facts.api.value.unready === '') return { kind: 'ok' };
    const reason = facts.api.ok ? facts.api.value.unready : facts.api.reason;
    const controlPlanes = nodesOf(facts).filter(({ container }) => container.role === 'control-plane');
    // Nothing could be looked into: that is not the same as an API server that is down.
    if (!facts.api.ok && controlPlanes.every(({ container, inside }) => container.running && inside === undefined))
      return conclude([], [reason]);
    return conclude([
      {
        subject: '',
        summary: facts.api.ok
          ? `The API server answers, but is not ready: ${reason}`
          : `The API server does not answer: ${reason}`,
        evidence: controlPlanes.flatMap(({ container, inside }) => {
          if (!container.running) return [`${container.name}: container ${container.state}`];
          const up = `${container.name}: started ${Math.round(secondsUp(facts, container, inside))} s before this look`;
          if (inside === undefined || !inside.components.ok) return [up];
          const states = inside.components.value.map(
            ({ name, state, attempt }) => `${name} ${state} (attempt ${attempt})`,
          );
          return [up, `${container.name}: ${states.join(', ') || 'no static pod has a container'}`];
        }),
      },
    ]);
  },
};
