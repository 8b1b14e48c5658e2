import type { Cluster } from '../cluster.ts';

/** A way to break a cluster, the same in the real lab and in the simulated one. */
export interface Fault {
  readonly name: string;
  /** One sentence: what is really done. */
  readonly summary: string;
  /** The argument it takes, as shown in the usage; absent where it takes none. */
  readonly argument?: string;
  /** Breaks the cluster and answers what was done, as plain data. Resolves once the fault is live. */
  stage(cluster: Cluster, argument: string | undefined): Promise<Readonly<Record<string, unknown>>>;
  /** Takes away what the fault left outside the cluster's nodes; the cluster itself stays broken. */
  clean?(cluster: Cluster): Promise<Readonly<Record<string, unknown>>>;
}
