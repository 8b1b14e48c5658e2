import { type Check, conclude } from '../check.ts';

/**
 * kind creates its containers with `--restart=on-failure:1`, which brings them back with the engine. Clusters of old
 * versions, or containers updated by hand, may have `no`.
 */
export const restartPolicy: Check = {
  id: 'containers/restart-policy',
  layer: 'containers',
  severity: 'warning',
  title: 'Every container of the cluster comes back with the engine',
  after: [],
  run: ({ containers }) => {
    if (!containers.ok) return conclude([], [containers.reason]);
    return conclude(
      containers.value
        .filter(({ restartPolicy: { name } }) => name === '' || name === 'no')
        .map(({ name }) => ({
          subject: name,
          summary: `${name} has no restart policy: it stays down when the engine or the machine restarts`,
          evidence: ['restart policy: no; kind sets on-failure with 1 retry'],
        })),
    );
  },
};
