import type { SimContext, Unit, UnitState } from '../contracts.ts';
import { createScope } from './scope.ts';

/** One systemd service of a node, which starts itself again one second after it has ended (kind's units). */
export interface Service {
  state(): UnitState;
  start(): void;
  stop(): void;
  /** Its process has ended by itself. */
  fell(): void;
  resetFailed(): void;
  journal(): readonly string[];
  write(line: string): void;
  /** The node has gone. */
  powerOff(): void;
}

export interface ServiceDefinition {
  readonly unit: Unit;
  readonly description: string;
  /** A file without which systemd does not start it, and does not call that a failure. */
  readonly conditionPath: string | undefined;
  readonly conditionHolds: () => boolean;
  /** Answers false where the process ends at once. */
  readonly run: () => boolean;
  readonly end: () => void;
}

const restartMs = 1_000;
const keptLines = 600;

export function createService(context: SimContext, definition: ServiceDefinition): Service {
  const { unit, description, conditionPath } = definition;
  const lines: string[] = [];
  let scope = createScope(context.clock);
  let activeState: UnitState['activeState'] = 'inactive';
  let subState = 'dead';
  let restarts = 0;
  let activeSince = 0;

  function set(active: UnitState['activeState'], sub: string): void {
    activeState = active;
    subState = sub;
  }

  function write(line: string): void {
    lines.push(line);
    if (lines.length > keptLines) lines.splice(0, lines.length - keptLines);
  }

  function launch(): void {
    if (!definition.conditionHolds()) {
      set('inactive', 'dead');
      write(
        `${description} was skipped because of an unmet condition check (ConditionPathExists=${conditionPath ?? ''}).`,
      );
      return;
    }
    write(`Starting ${unit}.service - ${description}...`);
    write(`Started ${unit}.service - ${description}.`);
    set('active', 'running');
    activeSince = context.clock.now();
    if (!definition.run()) scope.schedule(300, () => service.fell());
  }

  function cancel(): void {
    scope.end();
    scope = createScope(context.clock);
  }

  const service: Service = {
    state: () => ({ activeState, subState, restarts, activeSince }),
    start() {
      if (activeState === 'active') return;
      cancel();
      restarts = 0;
      launch();
    },
    stop() {
      cancel();
      if (activeState === 'active') {
        write(`Stopping ${unit}.service - ${description}...`);
        definition.end();
        write(`${unit}.service: Deactivated successfully.`);
        write(`Stopped ${unit}.service - ${description}.`);
      }
      set('inactive', 'dead');
    },
    fell() {
      if (activeState !== 'active') return;
      definition.end();
      write(`${unit}.service: Main process exited, code=exited, status=1/FAILURE`);
      write(`${unit}.service: Failed with result 'exit-code'.`);
      set('activating', 'auto-restart');
      scope.schedule(restartMs, () => {
        restarts += 1;
        write(`${unit}.service: Scheduled restart job, restart counter is at ${restarts}.`);
        launch();
      });
    },
    resetFailed() {
      restarts = 0;
      if (activeState === 'failed') set('inactive', 'dead');
    },
    journal: () => [...lines],
    write,
    powerOff() {
      cancel();
      definition.end();
      set('inactive', 'dead');
      restarts = 0;
      lines.length = 0;
    },
  };
  return service;
}
