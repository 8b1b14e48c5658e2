import { type Check, conclude } from '../check.ts';

export const kubeconfigInvalid: Check = {
  id: 'host/kubeconfig-invalid',
  layer: 'host',
  severity: 'error',
  title: "This host's kubeconfig can be read",
  after: [],
  run: ({ kubeconfig }) => {
    if (!kubeconfig.ok) return conclude([], [kubeconfig.reason]);
    const { state, path, reason } = kubeconfig.value;
    if (state === 'readable' || state === 'missing') return { kind: 'ok' };
    return conclude([
      {
        subject: '',
        summary: state === 'invalid' ? `${path} is not a kubeconfig: ${reason}` : `${path} cannot be read: ${reason}`,
        evidence: [`${path}: ${reason}`],
      },
    ]);
  },
};
