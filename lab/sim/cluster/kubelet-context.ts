import type { NodeMachine } from '../contracts.ts';
import type { Connection } from './connection.ts';
import { type Dialled, dialApi } from './dial.ts';
import type { Runtime } from './runtime.ts';
import type { Scope } from './scope.ts';
import type { ClusterWorld } from './world.ts';

/** What the parts of one running kubelet share. All of it ends with the process. */
export interface KubeletContext {
  readonly world: ClusterWorld;
  readonly machine: NodeMachine;
  readonly runtime: Runtime;
  readonly scope: Scope;
  /** As read at its start. */
  readonly connection: Connection;
  readonly log: (level: 'I' | 'W' | 'E', place: string, text: string) => void;
  /** Whether the API answers its requests at the moment. */
  readonly connected: () => boolean;
  readonly containerdRuns: () => boolean;
  /** From --node-ip, or the first interface's. */
  readonly nodeIp: () => string;
}

export function dialOwnApi({ world, machine, connection }: KubeletContext): Dialled {
  return dialApi(world, machine, connection);
}
