import { currentAddress } from '../../facts/select.ts';
import type { Check } from '../check.ts';
import { judgeNodes } from '../per-node.ts';
import { isStaleEndpoint } from './kubelet-endpoint-stale.ts';

/** The control plane's own clients, with the file each one reads. */
export const components = [
  { key: 'controllerManager', component: 'kube-controller-manager', path: '/etc/kubernetes/controller-manager.conf' },
  { key: 'scheduler', component: 'kube-scheduler', path: '/etc/kubernetes/scheduler.conf' },
] as const;

/** With these stale the API answers everything, and nothing is ever scheduled or re-created. */
export const componentEndpointStale: Check = {
  id: 'node/component-endpoint-stale',
  layer: 'node',
  severity: 'error',
  title: 'Controller manager and scheduler dial an address where the API server is',
  after: ['containers/node-stopped', 'network/address-changed'],
  run: (facts) =>
    judgeNodes(
      facts,
      (node, { problem, unknown }) => {
        const { container, inside } = node;
        const stale = [];
        for (const { key, component, path } of components) {
          const conf = inside.kubeconfigs[key];
          if (!conf.ok) unknown(`${path}: ${conf.reason}`);
          else if (isStaleEndpoint(facts, node, conf.value)) {
            const present = currentAddress(container, conf.value.host);
            stale.push({ component, path, server: conf.value.server, present });
          }
        }
        if (stale.length === 0) return;
        const present = [...new Set(stale.map((one) => one.present))].join(', ');
        problem({
          summary: `${stale.map(({ component }) => component).join(' and ')} on ${container.name} dial ${[...new Set(stale.map(({ server }) => server))].join(', ')}, but the node is at ${present} now`,
          evidence: [...stale.map(({ path, server }) => `${path}: server: ${server}`), `Docker: ${present}`],
        });
      },
      'control-planes',
    ),
};
