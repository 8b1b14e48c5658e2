/** Where the simulated world answers otherwise than the real one, and why it is left so; docs/simulation.md tells them to people. */
export interface KnownDifference {
  /** Matched against `part: path` of a difference. */
  readonly where: RegExp;
  /** Those it is known in; all where left out. */
  readonly scenarios?: readonly string[];
  readonly because: string;
}

export const knownDifferences: readonly KnownDifference[] = [
  {
    where: /^facts (before|after): engine\./,
    because: 'another engine: its version, its place and how it was found',
  },
  {
    where: /\.kubelet\.value\.restarts$/,
    because:
      'the real cluster was made by kubeadm, which starts the kubelet after containerd, and has been booted before',
  },
  {
    where: /^(facts before: api\.|findings: |summaries: |verdict: unknown)/,
    scenarios: ['half-rewrite', 'certificate-and-half-rewrite'],
    because:
      'an API server without its etcd answers lists from its cache at one look and says nothing at another, in the real lab as well; the simulated one always answers',
  },
  {
    where: /kubeletDialErrors/,
    because: 'the real kubelet writes more lines, so that older ones are among the last 80 for a shorter time',
  },
  {
    where: /^(facts before: containers\.value.*exitCode|summaries: )/,
    scenarios: ['all-stopped', 'worker-stopped'],
    because:
      "systemd in the real lab takes longer than Docker's ten seconds to stop, and is killed: 137 instead of 130",
  },
];
