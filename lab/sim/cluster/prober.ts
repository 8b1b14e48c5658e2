import type { NodeMachine } from '../contracts.ts';
import type { Probe } from './manifest.ts';
import type { Container } from './runtime.ts';
import type { Scope } from './scope.ts';
import { hasAddress } from './world.ts';

export interface ProbeSet {
  readonly startupProbe: Probe | undefined;
  readonly livenessProbe: Probe | undefined;
  readonly readinessProbe: Probe | undefined;
}

export interface Prober {
  readonly started: () => boolean;
  readonly ready: () => boolean;
  readonly stop: () => void;
}

/**
 * Probes a static pod's container at the host that its manifest names, until it has ended. `onFailure` is told which
 * probe has failed too often.
 */
export function startProbing(options: {
  readonly scope: Scope;
  readonly machine: NodeMachine;
  readonly container: Container;
  readonly probes: ProbeSet;
  readonly onFailure: (probe: 'startup' | 'liveness', host: string) => void;
  readonly onStarted: () => void;
}): Prober {
  const { scope, machine, container, probes, onFailure, onStarted } = options;
  const { program } = container;
  let started = probes.startupProbe === undefined;
  let failures = 0;
  let stopped = false;
  let cancel = () => undefined as void;

  const isOver = () => stopped || container.state !== 'running';
  const reaches = ({ host }: Probe) => host === '' || hasAddress(machine, host);

  function probe(kind: 'startup' | 'liveness', settings: Probe, passes: () => boolean): void {
    if (isOver()) return;
    const passed = reaches(settings) && passes();
    failures = passed ? 0 : failures + 1;
    if (kind === 'startup' && passed) {
      started = true;
      onStarted();
      beginLiveness();
      return;
    }
    if (failures >= settings.failureThreshold) {
      failures = 0;
      onFailure(kind, settings.host);
    }
    cancel = scope.schedule(settings.periodMs, () => probe(kind, settings, passes));
  }

  function beginLiveness(): void {
    failures = 0;
    const settings = probes.livenessProbe;
    if (settings === undefined) return;
    cancel = scope.schedule(settings.initialDelayMs, () => probe('liveness', settings, program.live));
  }

  const { startupProbe } = probes;
  if (startupProbe === undefined) beginLiveness();
  else cancel = scope.schedule(startupProbe.initialDelayMs, () => probe('startup', startupProbe, program.started));
  return {
    started: () => started,
    ready: () =>
      !isOver() &&
      started &&
      program.ready() &&
      (probes.readinessProbe === undefined || reaches(probes.readinessProbe)),
    stop() {
      stopped = true;
      cancel();
    },
  };
}
