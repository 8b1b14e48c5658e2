import { type Check, conclude } from '../check.ts';

export const nodeStopped: Check = {
  id: 'containers/node-stopped',
  layer: 'containers',
  severity: 'error',
  title: "Every container of the cluster's runs",
  after: [],
  run: ({ containers }) => {
    if (!containers.ok) return conclude([], [containers.reason]);
    return conclude(
      containers.value
        .filter((container) => !container.running || container.state === 'paused')
        .map((container) => ({
          subject: container.name,
          summary:
            container.state === 'paused'
              ? `${container.name} (${container.role}) is paused`
              : `${container.name} (${container.role}) does not run: ${container.state} with exit code ${container.exitCode}`,
          evidence: [
            `state ${container.state}, exit code ${container.exitCode}, finished at ${container.finishedAt}`,
            `restart policy ${container.restartPolicy.name || 'no'}`,
            ...(container.error === '' ? [] : [`engine: ${container.error}`]),
          ],
        })),
    );
  },
};
