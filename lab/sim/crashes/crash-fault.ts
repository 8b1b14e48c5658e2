import type { NodeRole } from '../node/image.ts';
import type { SimStage } from '../laboratory/stage.ts';
import type { Dice } from './dice.ts';

export interface PlannedNode {
  readonly name: string;
  readonly role: NodeRole;
}

/** A way to break a cluster by chance. */
export interface CrashFault {
  readonly name: string;
  /** How often it is drawn, beside the others' weights. */
  readonly weight: number;
  /** What exactly it breaks; undefined where there is nothing to choose. */
  draw(dice: Dice, nodes: readonly PlannedNode[]): string | undefined;
  /** Breaks the cluster; a rejection means that it could not be broken in this way as it stands. */
  stage(stage: SimStage, argument: string | undefined): Promise<Damage>;
}

/** What a fault itself has taken from the user's files: nobody else is to be blamed for it. */
export interface Damage {
  /** `NODE:PATH`, or a path of the host. */
  readonly files: readonly string[];
}

export const noDamage: Damage = { files: [] };

export function pickKubernetesNode(dice: Dice, nodes: readonly PlannedNode[]): string {
  return dice.pick(nodes.filter(({ role }) => role !== 'external-load-balancer')).name;
}

export function pickControlPlane(dice: Dice, nodes: readonly PlannedNode[]): string {
  return dice.pick(nodes.filter(({ role }) => role === 'control-plane')).name;
}
