import type { Step } from '../repairs/step.ts';

/** A step in a few words, for plans and progress. */
export function describeStep(step: Step): string {
  switch (step.kind) {
    case 'start-container':
      return `start the container ${step.container}`;
    case 'set-restart-policy':
      return `set the restart policy of ${step.container} to ${step.policy.name}${step.policy.maximumRetryCount > 0 ? `:${step.policy.maximumRetryCount}` : ''}`;
    case 'wait-boot':
      return `wait until ${step.node} has booted`;
    case 'edit-file':
      return `${step.path} on ${step.node}: ${step.edits.map(({ from, to }) => `${from} → ${to}`).join(', ')}`;
    case 'remove-file':
      return `remove ${step.path} on ${step.node}`;
    case 'remake-certificate':
      return `make the ${step.certificate} certificate on ${step.node} again`;
    case 'restart-component':
      return `restart ${step.component} on ${step.node}`;
    case 'restart-unit':
      return `restart ${step.unit} on ${step.node}`;
    case 'wait-api':
      return 'wait until the API server answers';
    case 'wait-nodes':
      return `wait until ${step.nodes.length === 1 ? 'the node is' : `all ${step.nodes.length} nodes are`} Ready at the right address`;
    case 'wait-controllers':
      return `wait until ${step.components.join(' and ')} ${step.components.length === 1 ? 'renews its lease' : 'renew their leases'}`;
    case 'merge-kubeconfig':
      return `${step.path}: point context ${step.context} at ${step.server}`;
    case 'restore-file':
      return `put back ${step.path}${step.node === null ? '' : ` on ${step.node}`}`;
  }
}
