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
];
