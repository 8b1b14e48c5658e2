import type { SimClock } from '../clock.ts';
import type { ContainerRecord } from './container.ts';
import { isRunning, KIND_SHUTDOWN } from './container.ts';
import type { EventLog } from './events.ts';
import type { NetworkTools } from './networks.ts';
import { describeInterfaces, lowerEndpoint, raiseEndpoint } from './networks.ts';
import { DockerRefusal } from './refusal.ts';

export interface LifecycleTools extends NetworkTools {
  readonly clock: SimClock;
  /** For process ids. */
  readonly random: () => number;
  readonly events: EventLog;
  readonly onStart: (record: ContainerRecord) => void;
  readonly onStop: (record: ContainerRecord) => void;
  readonly onGone: (record: ContainerRecord) => void;
}

/** A life shorter than this makes the next restart by policy wait twice as long. moby: restartmanager.go */
const STEADY_LIFE_MS = 10_000;
const FIRST_BACKOFF_MS = 100;
const LONGEST_BACKOFF_MS = 60_000;
const SIGKILL_CODE = 137;

/** Deals the addresses and starts the first process; the guest boots as the clock's next action. */
export function startContainer(record: ContainerRecord, tools: LifecycleTools, why: 'asked' | 'policy'): void {
  if (isRunning(record)) throw new DockerRefusal(304, '');
  record.cancelRestart?.();
  record.cancelRestart = undefined;
  if (why === 'asked') Object.assign(record, { restartCount: 0, stoppedByHand: false, backoffMs: 0 });
  const life = new AbortController();
  Object.assign(record, { life, error: '', exitCode: 0, nextDevice: 0 });
  Object.assign(record, { status: 'running', startedAt: tools.clock.now() });
  record.pid = 2_000 + Math.floor(tools.random() * 60_000);
  for (const endpoint of record.endpoints.values()) raiseEndpoint(record, endpoint, tools);
  writeEvent(record, tools, 'start');
  tools.onStart(record);
  tools.clock.schedule(0, async () => {
    if (life.signal.aborted) return;
    const exitCode = await record.spec.guest.boot(describeInterfaces(record));
    if (exitCode !== undefined && !life.signal.aborted) endContainer(record, tools, exitCode, 'own');
  });
}

/** Resolves when the first process is gone, at the end of the grace period at the latest. */
export function stopContainer(record: ContainerRecord, graceMs: number, tools: LifecycleTools): Promise<void> {
  record.cancelRestart?.();
  record.cancelRestart = undefined;
  record.stoppedByHand = true;
  if (record.status === 'restarting') {
    record.status = 'exited';
    return Promise.resolve();
  }
  writeEvent(record, tools, 'kill', { signal: '15' });
  const shutdown = record.spec.shutdown ?? KIND_SHUTDOWN;
  const polite = shutdown !== 'ignored' && shutdown.afterMs <= graceMs;
  const { life } = record;
  return new Promise((resolve) => {
    tools.clock.schedule(polite ? shutdown.afterMs : graceMs, () => {
      if (!life.signal.aborted) {
        if (!polite) writeEvent(record, tools, 'kill', { signal: '9' });
        endContainer(record, tools, polite ? shutdown.exitCode : SIGKILL_CODE, 'asked');
        writeEvent(record, tools, 'stop');
      }
      resolve();
    });
  });
}

/** SIGKILL ends it at once; any other signal is taken as a polite stop is, without an end to the patience. */
export function killContainer(record: ContainerRecord, signal: string, tools: LifecycleTools): void {
  if (!isRunning(record))
    throw new DockerRefusal(409, `cannot kill container: ${record.id}: container ${record.id} is not running`);
  const number = describeSignal(signal);
  writeEvent(record, tools, 'kill', { signal: number });
  if (number === '9') {
    record.stoppedByHand = true;
    endContainer(record, tools, SIGKILL_CODE, 'asked');
    return;
  }
  const { shutdown = KIND_SHUTDOWN } = record.spec;
  const { life } = record;
  const isStop = signal === (record.spec.stopSignal ?? 'SIGRTMIN+3') || number === '15';
  if (shutdown === 'ignored' || !isStop) return;
  record.stoppedByHand = true;
  tools.clock.schedule(shutdown.afterMs, () => {
    if (!life.signal.aborted) endContainer(record, tools, shutdown.exitCode, 'asked');
  });
}

/**
 * The container's processes are gone. `own`: they ended by themselves, so that the restart policy is asked; `asked`:
 * somebody wanted it; `engine`: the engine died with them, and it tells nobody.
 */
export function endContainer(
  record: ContainerRecord,
  tools: LifecycleTools,
  exitCode: number,
  why: 'own' | 'asked' | 'engine',
): void {
  const lived = tools.clock.now() - (record.startedAt ?? tools.clock.now());
  Object.assign(record, { status: 'exited', pid: 0, exitCode, finishedAt: tools.clock.now() });
  record.life.abort(new Error('the container has stopped'));
  record.spec.guest.halt();
  for (const endpoint of record.endpoints.values()) lowerEndpoint(record, endpoint, tools);
  tools.onStop(record);
  writeEvent(record, tools, 'die', { execDuration: String(Math.floor(lived / 1000)), exitCode: String(exitCode) });
  if (why === 'own' && wantsRestart(record)) {
    record.backoffMs = lived >= STEADY_LIFE_MS ? 0 : record.backoffMs;
    record.backoffMs = Math.min(record.backoffMs === 0 ? FIRST_BACKOFF_MS : record.backoffMs * 2, LONGEST_BACKOFF_MS);
    record.restartCount += 1;
    record.status = 'restarting';
    record.cancelRestart = tools.clock.schedule(record.backoffMs, () => startContainer(record, tools, 'policy'));
  } else if (record.spec.autoRemove === true) {
    tools.onGone(record);
  }
}

/**
 * moby's ShouldRestart, asked at an end of its own and when the engine starts. That a container was stopped by hand
 * matters to `unless-stopped` alone: one of `on-failure` that was stopped with an exit code other than 0 comes back
 * with the engine, which is what kind counts on.
 */
export function wantsRestart(record: ContainerRecord): boolean {
  const { name, maximumRetryCount } = record.restartPolicy;
  switch (name) {
    case 'always':
      return true;
    case 'unless-stopped':
      return !record.stoppedByHand;
    case 'on-failure':
      return record.exitCode !== 0 && (maximumRetryCount === 0 || record.restartCount < maximumRetryCount);
    case 'no':
      return false;
  }
}

export function writeEvent(
  record: ContainerRecord,
  tools: { readonly events: EventLog },
  action: string,
  more: Readonly<Record<string, string>> = {},
): void {
  const attributes = { ...record.spec.labels, image: record.spec.image, name: record.name, ...more };
  tools.events.write({ type: 'container', action, actor: record.id, attributes });
}

const SIGNALS: Readonly<Record<string, string>> = { HUP: '1', INT: '2', QUIT: '3', KILL: '9', TERM: '15' };

function describeSignal(signal: string): string {
  const name = signal.toUpperCase().replace(/^SIG/, '');
  return SIGNALS[name] ?? (name === 'RTMIN+3' ? '37' : name);
}
