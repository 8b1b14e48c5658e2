import { profiles } from '../../scenarios/profiles.ts';
import { nameContainers, type NodeImage } from '../node/image.ts';
import { createDice, type Dice } from './dice.ts';
import type { PlannedNode } from './crash-fault.ts';
import { crashFaults, findCrashFault } from './faults/index.ts';

export interface PlannedFault {
  readonly name: string;
  readonly argument: string | undefined;
}

export interface CrashPlan {
  readonly seed: number;
  /** Key of profiles.ts. */
  readonly profile: string;
  readonly entrypoint: 'current' | 'old';
  readonly loadBalancer: NodeImage['loadBalancer'];
  /** One after the other, with the seconds that pass after each. */
  readonly faults: readonly (PlannedFault & { readonly thenSeconds: number })[];
  /** What happens during the first heal, so many seconds after it began; undefined: nothing. */
  readonly during: (PlannedFault & { readonly afterSeconds: number }) | undefined;
  /** The first heal is killed without warning after so many journal entries, and what comes next; undefined: it is left to its end. */
  readonly kill: { readonly afterEntries: number; readonly next: 'heal' | 'undo' } | undefined;
  /** Seconds from what happened during the first heal to the next one. */
  readonly pauseSeconds: number;
  /** Whether the last heal is undone, and the cluster healed again. */
  readonly undo: boolean;
  /** Whether doctor is asked after a heal that ended well, too; where findings remain it always is. */
  readonly doctor: boolean;
}

export const crashedCluster = 'idp-mvp';

/** A crash, from the seed alone. */
export function planCrash(seed: number): CrashPlan {
  const dice = createDice(seed);
  const { profile } = dice.weigh([
    { weight: 50, profile: 'single' },
    { weight: 46, profile: 'workers' },
    { weight: 4, profile: 'ha' },
  ]);
  const counts = profiles[profile];
  if (counts === undefined) throw new Error(`there is no profile ${profile}`);
  const nodes = nameContainers(crashedCluster, counts);
  const entrypoint = dice.chance(0.6) ? 'old' : 'current';
  const loadBalancer = dice.pick(['envoy-v0.32', 'envoy', 'haproxy'] as const);
  const { count } = dice.weigh(
    [1, 2, 3, 4].map((number, index) => ({ count: number, weight: [40, 35, 15, 10][index] ?? 0 })),
  );
  const faults = Array.from({ length: count }, (_, index) => ({
    ...planFault(dice, nodes),
    thenSeconds: index === count - 1 ? dice.pick([0, 2, 5, 25, 60, 120]) : dice.pick([0, 0, 1, 5, 20, 60]),
  }));
  const { event } = dice.weigh([
    { weight: 45, event: 'nothing' },
    { weight: 12, event: 'engine' },
    { weight: 5, event: 'shuffle' },
    { weight: 10, event: 'fault' },
    { weight: 22, event: 'kill' },
    { weight: 6, event: 'both' },
  ]);
  const afterSeconds = dice.chance(0.5) ? dice.between(0, 5) : dice.between(5, 40);
  const isKilled = event === 'kill' || event === 'both';
  return {
    seed,
    profile,
    entrypoint,
    loadBalancer,
    faults,
    during: event === 'nothing' || event === 'kill' ? undefined : { ...planEvent(event, dice, nodes), afterSeconds },
    kill: isKilled ? { afterEntries: dice.between(1, 30), next: dice.chance(0.3) ? 'undo' : 'heal' } : undefined,
    pauseSeconds: dice.pick([0, 5, 30]),
    undo: dice.chance(0.15),
    doctor: dice.chance(0.4),
  };
}

function planEvent(event: string, dice: Dice, nodes: readonly PlannedNode[]): PlannedFault {
  if (event === 'fault') return planFault(dice, nodes);
  const name = event === 'shuffle' ? 'shuffle' : 'engine-crash';
  return { name, argument: findCrashFault(name).draw(dice, nodes) };
}

function planFault(dice: Dice, nodes: readonly PlannedNode[]): PlannedFault {
  const fault = dice.weigh(crashFaults);
  return { name: fault.name, argument: fault.draw(dice, nodes) };
}

/** The plan in words. */
export function describePlan(plan: CrashPlan): string[] {
  const say = ({ name, argument }: PlannedFault) => [name, argument].filter((word) => word !== undefined).join(' ');
  const balancer = plan.profile === 'ha' ? `, load balancer ${plan.loadBalancer}` : '';
  return [
    `a cluster of the profile ${plan.profile}, entrypoint ${plan.entrypoint}${balancer}`,
    ...plan.faults.map((fault) => `${say(fault)}, then ${fault.thenSeconds} s`),
    ...(plan.during === undefined ? [] : [`${plan.during.afterSeconds} s into the heal: ${say(plan.during)}`]),
    ...(plan.kill === undefined
      ? []
      : [`the heal is killed after ${plan.kill.afterEntries} journal entries; then ${plan.kill.next}`]),
    `after ${plan.pauseSeconds} s heal until the end${plan.undo ? ', undo the last run, and heal again' : ''}`,
  ];
}
