import { createDebounce } from '../scope.ts';
import type { LeaderSession } from '../programs/leader.ts';
import type { ClusterWorld } from '../world.ts';
import { createDirtySet } from './dirty.ts';
import { syncDaemonSets } from './daemon-sets.ts';
import { syncDeployments } from './deployments.ts';
import { syncEndpoints } from './endpoints.ts';
import { createNodeLifecycle } from './node-lifecycle.ts';
import { syncReplicaSets } from './replica-sets.ts';
import { syncStatefulSets } from './stateful-sets.ts';

/** How often the node lifecycle controller looks at the nodes. */
const nodeMonitorMs = 5_000;
/** Controllers that follow watches answer a change within so many milliseconds. */
const reactionMs = [50, 250] as const;
const followed = ['nodes', 'services', 'deployments.apps', 'replicasets.apps', 'daemonsets.apps', 'statefulsets.apps'];

/**
 * What the leading controller manager does. Its workload controllers look once after a burst of changes, at
 * what has changed.
 */
export function startControllers(world: ClusterWorld, { scope, connected }: LeaderSession): void {
  const { random } = world.context;
  const lifecycle = createNodeLifecycle(world);
  const delay = () => reactionMs[0] + random() * (reactionMs[1] - reactionMs[0]);
  const dirty = createDirtySet();

  const sync = createDebounce(scope, delay, () => {
    if (!connected() || dirty.isClean()) return;
    const concerns = dirty.take();
    syncDeployments(world, concerns);
    syncReplicaSets(world, concerns);
    syncStatefulSets(world, concerns);
    syncDaemonSets(world, concerns);
    syncEndpoints(world, concerns);
  });
  const stops = followed.map((resource) =>
    world.store.watch(resource, world.store.revision, ({ type, object }) => {
      if (scope.ended) {
        stopAll();
        return;
      }
      if (resource === 'nodes') {
        // Heartbeats are nothing to answer.
        if (type === 'MODIFIED' && !lifecycle.concerns(object)) return;
        dirty.addAll();
        watchNodes();
      } else dirty.addObject(object);
      sync();
    }),
  );
  stops.push(
    world.pods.followAll(({ object }) => {
      if (scope.ended) {
        stopAll();
        return;
      }
      dirty.addObject(object);
      sync();
    }),
  );
  function stopAll(): void {
    for (const stop of stops) stop();
  }

  const watchNodes = createDebounce(scope, delay, () => {
    if (connected()) lifecycle.look();
  });
  const monitor = () => {
    if (connected()) lifecycle.look();
    // What could not be done while the API did not answer.
    sync();
    scope.schedule(nodeMonitorMs, monitor);
  };
  scope.schedule(1_000, monitor);
  sync();
}
