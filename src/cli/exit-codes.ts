import type { Diagnosis } from '../engine/diagnosis.ts';
import type { HealOutcome } from '../engine/messages.ts';

export const exitCodes = {
  /** Healthy or healed. */
  well: 0,
  findingsRemain: 1,
  usage: 2,
  /** No engine, no permission, something that hid itself from us, or a fault of rekindle's own. */
  couldNotLook: 3,
  unconfirmed: 4,
  interrupted: 130,
} as const;

export type FailOn = 'warning' | 'error';

export function exitCodeOfDiagnoses(verdicts: readonly Diagnosis['verdict'][], failOn: FailOn): number {
  if (verdicts.includes('broken')) return exitCodes.findingsRemain;
  if (failOn === 'warning' && verdicts.includes('degraded')) return exitCodes.findingsRemain;
  return verdicts.includes('unknown') ? exitCodes.couldNotLook : exitCodes.well;
}

export type HealVerdict = HealOutcome['verdict'] | 'unconfirmed';

/** A plan that was only shown, or declined, leaves its findings. */
export function exitCodeOfHeal(verdict: HealVerdict): number {
  switch (verdict) {
    case 'healthy':
    case 'healed':
      return exitCodes.well;
    case 'remaining':
    case 'planned':
    case 'declined':
      return exitCodes.findingsRemain;
    case 'unknown':
      return exitCodes.couldNotLook;
    case 'unconfirmed':
      return exitCodes.unconfirmed;
    case 'interrupted':
      return exitCodes.interrupted;
  }
}
