import { startControllers } from '../controllers/index.ts';
import type { Program } from '../runtime.ts';
import { startScheduler } from '../scheduler.ts';
import type { ClusterWorld } from '../world.ts';
import { apiServerProgram } from './apiserver.ts';
import { etcdProgram } from './etcd.ts';
import { leaderProgram } from './leader.ts';

/** The program that a static pod's command names; one that nobody knows sleeps. */
export function findProgram(world: ClusterWorld, command: readonly string[]): Program {
  switch (command[0]) {
    case 'etcd':
      return etcdProgram(world, command);
    case 'kube-apiserver':
      return apiServerProgram(world, command);
    case 'kube-controller-manager':
      return leaderProgram(world, command, 'kube-controller-manager', (session) => startControllers(world, session));
    case 'kube-scheduler':
      return leaderProgram(world, command, 'kube-scheduler', (session) => startScheduler(world, session));
    default:
      return () => ({ started: () => true, live: () => true, ready: () => true, stopMs: 200 });
  }
}
