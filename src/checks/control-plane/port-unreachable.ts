import { type Check, conclude } from '../check.ts';

/** The cluster may be well inside while nothing outside can talk to it: `kubectl` on this host fails. */
export const portUnreachable: Check = {
  id: 'control-plane/port-unreachable',
  layer: 'control-plane',
  severity: 'error',
  title: 'The API server answers on its published port',
  after: ['containers/node-stopped', 'control-plane/api-unreachable'],
  run: ({ api, containers }) => {
    if (!api.ok) return { kind: 'skipped', reason: api.reason };
    if (api.value.portFailure === '') return { kind: 'ok' };
    const balancer = containers.ok ? containers.value.find(({ role }) => role === 'external-load-balancer') : undefined;
    return conclude([
      {
        subject: balancer?.name ?? '',
        summary: `The API server answers inside its node, but not on its published port: ${api.value.portFailure}`,
        evidence: [`answered by ${api.value.endpoint}`, `published port: ${api.value.portFailure}`],
      },
    ]);
  },
};
