/** What a measured ratio may be. */
export interface Budget {
  readonly id: 'doctor' | 'heal-typed' | 'heal-recreate' | 'heal-restart' | 'start';
  readonly what: string;
  readonly against: string;
  /** The ratio (ours to theirs) that must not be exceeded; null where the ratio is shown for orientation only. */
  readonly atMost: number | null;
}

export const budgets: readonly Budget[] = [
  { id: 'doctor', what: 'doctor, 1 + 2 nodes', against: "the runbook's diagnosis commands", atMost: 0.5 },
  {
    id: 'heal-typed',
    what: "heal of the runbook's crash",
    against: "the runbook's fix, typed without a pause",
    atMost: 1.5,
  },
  { id: 'heal-recreate', what: "heal of the runbook's crash", against: 'kind delete + create', atMost: 0.1 },
  { id: 'heal-restart', what: "heal of the runbook's crash", against: 'an unharmed restart (the floor)', atMost: null },
  { id: 'start', what: 'rekindle --version', against: 'node -e 0', atMost: 1.5 },
];
