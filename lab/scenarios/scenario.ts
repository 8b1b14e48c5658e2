import type { Cluster } from './cluster.ts';
import type { Fault } from './faults/fault.ts';
import type { CommandResult } from './laboratory.ts';

/** The product as somebody has it who looks at the cluster: with a home and a kubeconfig of its own. */
export interface Visitor {
  /** The kubeconfig it uses, on this host. */
  readonly kubeconfig: string;
  /** Runs a command line without a terminal; resolves with how it ended, whatever that was. */
  rekindle(...argv: readonly string[]): Promise<CommandResult>;
}

export interface StagedFault {
  readonly fault: Fault;
  /** What the fault is told; one that depends on the visitor or the cluster is asked for when it is staged. */
  readonly argument?: string | ((stage: ScenarioStage) => string);
  /** Seconds that pass afterwards. */
  readonly thenSeconds?: number;
}

export interface ScenarioStage {
  readonly cluster: Cluster;
  readonly visitor: Visitor;
}

/** Faults, what doctor has to say of them, and what heal has to make of them: the same in the simulated world and in the real one. */
export interface Scenario {
  readonly name: string;
  /** One sentence for people. */
  readonly title: string;
  /** Key of profiles.ts. */
  readonly profile: string;
  /** Whether the nodes' entrypoint rewrites kubelet.conf at boot (kind v0.30 and later) or does not. */
  readonly entrypoint: 'current' | 'old';
  readonly faults: readonly StagedFault[];
  readonly doctor: {
    readonly verdict: 'healthy' | 'degraded' | 'broken';
    /** `id` or `id subject`, subjects as in NAME of the cluster: `node/kubelet-down control-plane`. */
    readonly names: readonly string[];
    /** Findings, or whole layers such as `certificates/`, that would be wrong. */
    readonly mustNotName: readonly string[];
  };
  readonly heal: {
    readonly verdict: 'healthy' | 'healed' | 'remaining';
    /** Findings that are left, and allowed to be; with `remaining` at least one of them has to be. */
    readonly leaves?: readonly string[];
  };
  /** Faults after the heal that the cluster has to survive by itself within two minutes. */
  readonly again?: readonly StagedFault[];
  /** Where it cannot be staged in the real lab, the reason. */
  readonly simulatedOnly?: string;
}
